package regexp

import (
	"math"
	"strings"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
)

// finder finds all matches of one expression, for one goroutine.
type finder struct {
	plan  *search
	whole *automaton
	cores []*core
	// How many more characters may be looked at.
	work int
}

// core is one branch of the expression, and how far the text has been searched for it.
type core struct {
	*branch
	accepts *automaton
	// The next place of the anchor at which the core matches, and the first byte at which a match may begin for it.
	at, low int
	words   []int
}

const (
	nowhere     = math.MaxInt
	workPerByte = 16
	workPerText = 100_000
	// What a step costs that is not in the automaton's tables.
	workPerStep = 20
)

func newFinder(plan *search) *finder {
	f := &finder{plan: plan, whole: newAutomaton(plan.whole, false)}
	for i := range plan.branches {
		own := &core{branch: &plan.branches[i], words: make([]int, len(plan.branches[i].anchor.words))}
		// With nothing before the core, the whole expression is tried at the same place.
		if own.reach > 0 {
			own.accepts = newAutomaton(own.branch.core, true)
		}
		f.cores = append(f.cores, own)
	}
	return f
}

// findAll returns the matches as Go's regexp does: leftmost first, none overlapping. No match is empty, since every one
// holds an anchor. `whole` says that the text has to be left to Go's engine: also one that is made so that every anchor
// leads far into it, since Go's engine looks at no character more than once.
func (f *finder) findAll(text string) (matches [][]int, whole bool) {
	view := viewOf(text)
	f.work = workPerByte*len(text) + workPerText
	for _, core := range f.cores {
		if core.anchor.odd && view.odd {
			return nil, true
		}
		core.begin()
		core.advance(view, 0, &f.work)
	}
	for at := 0; ; {
		start := nowhere
		for _, core := range f.cores {
			if core.at < at {
				core.advance(view, at, &f.work)
			}
			if core.at != nowhere {
				start = min(start, max(at, core.low))
			}
		}
		if f.work < 0 {
			return nil, true
		}
		if start == nowhere {
			return matches, false
		}
		at = start + 1
		if !isCharacterStart(text, start) {
			continue
		}
		if end := f.whole.match(text, start, &f.work); end >= 0 {
			matches = append(matches, []int{start, end})
			at = end
		}
	}
}

func (c *core) begin() {
	c.at = -1
	for i := range c.words {
		c.words[i] = -1
	}
}

// advance goes to the next anchor at or after `from` at which the core matches.
func (c *core) advance(view *view, from int, work *int) {
	for {
		at := c.nextAnchor(view, from)
		if at == nowhere || *work < 0 {
			c.at = nowhere
			return
		}
		if c.accepts == nil || c.accepts.match(view.text, at, work) >= 0 {
			c.at = at
			break
		}
		from = at + 1
	}
	c.low = c.at
	for c.low > 0 && c.at-c.low < c.reach && c.before[view.text[c.low-1]] {
		c.low--
	}
}

func (c *core) nextAnchor(view *view, from int) int {
	if c.anchor.run > 0 {
		return c.anchor.nextRun(view.text, from)
	}
	text := view.text
	if c.anchor.fold {
		text = view.lower
	}
	next := nowhere
	for i, word := range c.anchor.words {
		if c.words[i] < from {
			c.words[i] = nowhere
			if found := strings.Index(text[from:], word); found >= 0 {
				c.words[i] = from + found
			}
		}
		next = min(next, c.words[i])
	}
	return next
}

// nextRun looks at the last byte that a run from here must have, so that most bytes are never looked at.
func (a *anchor) nextRun(text string, from int) int {
	known := from
	for from+a.run <= len(text) {
		at := from + a.run - 1
		for at >= known && text[at] < utf8.RuneSelf && a.class[text[at]] {
			at--
		}
		if at < known {
			return from
		}
		known = max(known, from+a.run)
		from = at + 1
	}
	return nowhere
}

// isCharacterStart tells whether a scan of the text by characters stops here; a byte that is no UTF-8 is one character.
func isCharacterStart(text string, at int) bool {
	if utf8.RuneStart(text[at]) {
		return true
	}
	for back := 1; back < utf8.UTFMax && back <= at; back++ {
		if utf8.RuneStart(text[at-back]) {
			_, width := utf8.DecodeRuneInString(text[at-back:])
			return width <= back
		}
	}
	return true
}

// view is a text, and the same with the letters of ASCII in lower case. `odd` tells of characters outside ASCII that are
// equal to a letter in it without regard to case.
type view struct {
	text, lower string
	odd         bool
}

// Every rule looks at the same text. The few views that are kept serve all goroutines.
var views [8]atomic.Pointer[view]

func viewOf(text string) *view {
	slot := &views[uintptr(unsafe.Pointer(unsafe.StringData(text)))>>12%uintptr(len(views))]
	if known := slot.Load(); known != nil && isSame(known.text, text) {
		return known
	}
	made := &view{text: text, lower: lower(text)}
	made.odd = strings.ContainsRune(text, longS) || strings.ContainsRune(text, kelvin)
	slot.Store(made)
	return made
}

func lower(text string) string {
	changed := make([]byte, len(text))
	for i := range len(text) {
		char := text[i]
		if 'A' <= char && char <= 'Z' {
			char += 'a' - 'A'
		}
		changed[i] = char
	}
	return unsafe.String(unsafe.SliceData(changed), len(changed))
}
