package regexp

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// anchor is what a core begins with: one of some words, or at least `run` bytes of a class.
type anchor struct {
	words []string
	// The words are in lower case and the text is to be searched without regard to case.
	fold  bool
	run   int
	class [128]bool
	// Two characters outside ASCII are the same as k and s without regard to case: a text that has one is left to Go.
	odd bool
}

const (
	maxWords      = 48
	maxWordLength = 24
	// Letters outside ASCII that fold to letters in it: the long s and the sign of the Kelvin.
	longS, kelvin = '\u017f', '\u212a'
)

func (a anchor) score() int {
	if a.run > 0 {
		return min(a.run, 16) * 4
	}
	shortest := maxWordLength
	for _, word := range a.words {
		shortest = min(shortest, len(word))
	}
	return shortest * 16
}

func (a anchor) isGood() bool { return a.score() >= 32 }

func anchorOf(parts []*syntax.Regexp) (anchor, bool) {
	for _, fold := range []bool{false, true} {
		words := wordSet{fold: fold}
		set, _, ok := words.ofConcat(parts)
		if !ok || len(set) == 0 || slices.Contains(set, "") {
			continue
		}
		return anchor{words: withoutLonger(set), fold: fold, odd: words.odd}, true
	}
	for len(parts) > 0 && isEmptyWidth(parts[0]) {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return anchor{}, false
	}
	return runOf(parts[0])
}

// withoutLonger leaves out words that begin with another one.
func withoutLonger(words []string) []string {
	slices.Sort(words)
	var kept []string
	for _, word := range words {
		if len(kept) == 0 || !strings.HasPrefix(word, kept[len(kept)-1]) {
			kept = append(kept, word)
		}
	}
	return kept
}

func runOf(re *syntax.Regexp) (anchor, bool) {
	result := anchor{run: 1}
	switch re.Op {
	case syntax.OpRepeat:
		result.run = re.Min
		re = re.Sub[0]
	case syntax.OpPlus:
		re = re.Sub[0]
	}
	if re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpCharClass || result.run == 0 {
		return anchor{}, false
	}
	for i := 0; i < len(re.Rune); i += 2 {
		for char := re.Rune[i]; char <= re.Rune[i+1]; char++ {
			switch {
			case char < utf8.RuneSelf:
				result.class[char] = true
			case char == longS || char == kelvin:
				result.odd = true
			default:
				return anchor{}, false
			}
		}
	}
	return result, true
}

func isEmptyWidth(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return false
}

// wordSet computes the words with which a match can begin.
type wordSet struct{ fold, odd bool }

// of returns the words; exact says that they are the whole matches and not only their beginnings.
func (w *wordSet) of(re *syntax.Regexp) (words []string, exact, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		word, ok := w.literal(re)
		return []string{word}, true, ok
	case syntax.OpCharClass:
		words, ok := w.class(re)
		return words, true, ok
	case syntax.OpCapture:
		return w.of(re.Sub[0])
	case syntax.OpConcat:
		return w.ofConcat(re.Sub)
	case syntax.OpPlus:
		words, _, ok = w.of(re.Sub[0])
		return words, false, ok
	case syntax.OpRepeat:
		if re.Min == 0 {
			return nil, false, false
		}
		words, exact, ok = w.of(re.Sub[0])
		return words, exact && re.Min == 1 && re.Max == 1, ok
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			more, all, ok := w.of(sub)
			if !ok || len(words)+len(more) > maxWords {
				return nil, false, false
			}
			words, exact = append(words, more...), exact && all
		}
		return words, exact, true
	}
	return []string{""}, true, isEmptyWidth(re)
}

// ofConcat goes on as long as the words are whole; the rest of the parts can then be anything.
func (w *wordSet) ofConcat(parts []*syntax.Regexp) (words []string, exact, ok bool) {
	words = []string{""}
	for _, part := range parts {
		more, all, ok := w.of(part)
		if !ok || len(words)*len(more) > maxWords {
			return words, false, true
		}
		var joined []string
		for _, word := range words {
			for _, end := range more {
				joined = append(joined, word+end)
			}
		}
		words = joined
		if !all || len(words[0]) > maxWordLength {
			return words, false, true
		}
	}
	return words, true, true
}

func (w *wordSet) literal(re *syntax.Regexp) (string, bool) {
	var word strings.Builder
	for _, char := range re.Rune {
		folds := re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(char) != char
		// A byte that is no UTF-8 also counts as the replacement character.
		if folds && !w.fold || w.fold && char >= utf8.RuneSelf || char == utf8.RuneError {
			return "", false
		}
		lower := char
		if w.fold {
			lower = toLower(char)
		}
		w.odd = w.odd || folds && (lower == 'k' || lower == 's')
		word.WriteRune(lower)
	}
	return word.String(), true
}

func (w *wordSet) class(re *syntax.Regexp) ([]string, bool) {
	var words []string
	for i := 0; i < len(re.Rune); i += 2 {
		if re.Rune[i+1]-re.Rune[i] >= maxWords {
			return nil, false
		}
		for char := re.Rune[i]; char <= re.Rune[i+1]; char++ {
			switch {
			case w.fold && (char == longS || char == kelvin):
				w.odd = true
				continue
			case w.fold && char >= utf8.RuneSelf || char > utf8.MaxRune || char == utf8.RuneError:
				return nil, false
			case w.fold:
				char = toLower(char)
			}
			if word := string(char); !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words, len(words) <= 12
}

func toLower(char rune) rune {
	if 'A' <= char && char <= 'Z' {
		return char + 'a' - 'A'
	}
	return char
}
