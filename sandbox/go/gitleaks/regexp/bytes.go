package regexp

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// maxBytes is the length of the longest text that matches, when there is one.
func maxBytes(re *syntax.Regexp) (length int, bounded bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpNoMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return 0, true
	case syntax.OpLiteral:
		return utf8.UTFMax * len(re.Rune), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax, true
	case syntax.OpCapture, syntax.OpQuest:
		return maxBytes(re.Sub[0])
	case syntax.OpRepeat:
		if re.Max < 0 {
			return 0, false
		}
		length, bounded = maxBytes(re.Sub[0])
		return length * re.Max, bounded
	case syntax.OpConcat, syntax.OpAlternate:
		for _, sub := range re.Sub {
			one, ok := maxBytes(sub)
			if !ok {
				return 0, false
			}
			if re.Op == syntax.OpConcat {
				length += one
			} else {
				length = max(length, one)
			}
		}
		return length, true
	default:
		return 0, false
	}
}

// markBytes marks every byte that a matching text may hold.
func markBytes(re *syntax.Regexp, bytes *[256]bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, char := range re.Rune {
			markRune(char, bytes)
			if re.Flags&syntax.FoldCase != 0 {
				for other := unicode.SimpleFold(char); other != char; other = unicode.SimpleFold(other) {
					markRune(other, bytes)
				}
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for char := re.Rune[i]; char <= min(re.Rune[i+1], utf8.RuneSelf); char++ {
				markRune(char, bytes)
			}
			markRune(re.Rune[i+1], bytes)
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for i := range bytes {
			bytes[i] = true
		}
	default:
		for _, sub := range re.Sub {
			markBytes(sub, bytes)
		}
	}
}

// markRune does not tell the bytes of different characters outside ASCII apart.
func markRune(char rune, bytes *[256]bool) {
	if char < utf8.RuneSelf {
		bytes[char] = true
		return
	}
	for i := utf8.RuneSelf; i < len(bytes); i++ {
		bytes[i] = true
	}
}
