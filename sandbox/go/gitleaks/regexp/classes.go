package regexp

import (
	"encoding/binary"
	"regexp/syntax"
	"unicode/utf8"
)

// makeClasses puts together the ASCII characters that the program does not tell apart.
func (a *automaton) makeClasses() {
	var marks [utf8.RuneSelf][]uint64
	bit := 0
	mark := func(matches func(rune) bool) {
		for char := range rune(utf8.RuneSelf) {
			for len(marks[char]) <= bit/64 {
				marks[char] = append(marks[char], 0)
			}
			if matches(char) {
				marks[char][bit/64] |= 1 << (bit % 64)
			}
		}
		bit++
	}
	known := map[string]bool{}
	for i := range a.prog.Inst {
		inst := &a.prog.Inst[i]
		switch inst.Op {
		case syntax.InstEmptyWidth:
			a.looks = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			key := string(inst.Rune) + string(rune(inst.Op)) + string(rune(inst.Arg))
			if !known[key] {
				known[key] = true
				mark(inst.MatchRune)
			}
		}
	}
	if a.looks {
		mark(func(char rune) bool { return char == '\n' })
		mark(syntax.IsWordChar)
	}
	classes := map[string]uint8{}
	for char, bits := range marks {
		var key []byte
		for _, word := range bits {
			key = binary.LittleEndian.AppendUint64(key, word)
		}
		class, ok := classes[string(key)]
		if !ok {
			class = uint8(len(a.sample))
			classes[string(key)] = class
			a.sample = append(a.sample, rune(char))
		}
		a.class[char] = class
	}
}

// context is what an assertion can ask about the character before.
type context uint8

const (
	atOther context = iota
	atWord
	atLine
	atBegin
)

// contextOf takes a byte or a character, since all outside ASCII are alike.
func contextOf(char rune) context {
	switch {
	case char == '\n':
		return atLine
	case syntax.IsWordChar(char):
		return atWord
	}
	return atOther
}

// sample returns a character that stands for all of the context.
func (c context) sample() rune {
	return [...]rune{atOther: ' ', atWord: 'a', atLine: '\n', atBegin: -1}[c]
}
