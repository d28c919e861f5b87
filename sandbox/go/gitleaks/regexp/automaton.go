package regexp

import (
	"encoding/binary"
	"regexp/syntax"
	"unicode/utf8"
)

// automaton runs a program from a given place. Its states are made when they are met: each is the list of the program's
// threads in the order of their priority, and what the character before was.
type automaton struct {
	prog   *syntax.Prog
	first  bool
	looks  bool
	class  [utf8.RuneSelf]uint8
	sample []rune
	states map[string]*state
	start  [4]*state
	seen   []uint32
	round  uint32
	stack  []uint32
	key    []byte
	list   []uint32
	steps  int
	size   int
}

// state is what remains to be tried. The step into it may have shown that a match ends before the character just read.
type state struct {
	threads []uint32
	before  context
	matched bool
	// The next states by class of characters; the last one is for the end of the text.
	next []*state
}

// So many bytes of states are held by one automaton before it begins anew; there are two for each rule and goroutine.
const maxStateBytes = 512 << 10

// newAutomaton makes an automaton that tells where the match ends that Go prefers; with `first` any end will do.
func newAutomaton(prog *syntax.Prog, first bool) *automaton {
	a := &automaton{prog: prog, first: first, states: map[string]*state{}, seen: make([]uint32, len(prog.Inst))}
	a.makeClasses()
	return a
}

// match returns the end of the match that begins at `from`, or -1. It takes what it has to do from `work`.
func (a *automaton) match(text string, from int, work *int) int {
	before := atBegin
	if from > 0 {
		before = contextOf(rune(text[from-1]))
	}
	if a.start[before] == nil {
		a.start[before] = a.intern([]uint32{uint32(a.prog.Start)}, before, false)
	}
	current, end, steps := a.start[before], -1, a.steps
	at := from
	defer func() { *work -= 4 + at - from + workPerStep*(a.steps-steps) }()
	for ; ; at++ {
		var next *state
		width := 1
		switch {
		case at >= len(text):
			if next = current.next[len(a.sample)]; next == nil {
				next = a.step(current, -1)
				current.next[len(a.sample)] = next
			}
		case text[at] < utf8.RuneSelf:
			class := a.class[text[at]]
			if next = current.next[class]; next == nil {
				next = a.step(current, a.sample[class])
				current.next[class] = next
			}
		default:
			var char rune
			char, width = utf8.DecodeRuneInString(text[at:])
			next = a.step(current, char)
		}
		if next.matched {
			end = at
			if a.first {
				return end
			}
		}
		if len(next.threads) == 0 {
			return end
		}
		current = next
		at += width - 1
	}
}

// step returns the state after one more character, or after the end of the text for -1.
func (a *automaton) step(from *state, char rune) *state {
	a.round++
	a.steps++
	a.list = a.list[:0]
	flags := syntax.EmptyOpContext(from.before.sample(), char)
	matched := false
threads:
	for _, thread := range from.threads {
		a.stack = append(a.stack[:0], thread)
		for len(a.stack) > 0 {
			pc := a.stack[len(a.stack)-1]
			a.stack = a.stack[:len(a.stack)-1]
			if a.seen[pc] == a.round {
				continue
			}
			a.seen[pc] = a.round
			inst := &a.prog.Inst[pc]
			switch inst.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				a.stack = append(a.stack, inst.Arg, inst.Out)
			case syntax.InstCapture, syntax.InstNop:
				a.stack = append(a.stack, inst.Out)
			case syntax.InstEmptyWidth:
				if syntax.EmptyOp(inst.Arg)&^flags == 0 {
					a.stack = append(a.stack, inst.Out)
				}
			case syntax.InstMatch:
				// Threads of lower priority have lost.
				matched = true
				break threads
			case syntax.InstFail:
			default:
				if char >= 0 && inst.MatchRune(char) {
					a.list = append(a.list, inst.Out)
				}
			}
		}
	}
	before := atOther
	if a.looks {
		before = contextOf(char)
	}
	return a.intern(a.list, before, matched)
}

// intern returns the one state for this list.
func (a *automaton) intern(threads []uint32, before context, matched bool) *state {
	flags := byte(before)
	if matched {
		flags |= 0x80
	}
	a.key = append(a.key[:0], flags)
	for _, thread := range threads {
		a.key = binary.LittleEndian.AppendUint16(a.key, uint16(thread))
	}
	if known, ok := a.states[string(a.key)]; ok {
		return known
	}
	if a.size > maxStateBytes {
		// Whoever still holds a state of before can go on with it.
		clear(a.states)
		a.start, a.size = [4]*state{}, 0
	}
	a.size += 120 + 8*len(a.sample) + 6*len(threads)
	made := &state{before: before, matched: matched, next: make([]*state, len(a.sample)+1)}
	made.threads = append(made.threads, threads...)
	a.states[string(a.key)] = made
	return made
}
