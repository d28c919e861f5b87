// Package sample makes random texts for tests: such as an expression matches, and such as it nearly matches.
package sample

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text with places that match the expression or come near to that.
func Text(random *rand.Rand, expr string) string {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var text strings.Builder
	for range 1 + random.IntN(4) {
		text.WriteString(noise(random))
		match := []byte(matching(random, parsed))
		for len(match) > 0 && random.IntN(3) == 0 {
			at := random.IntN(len(match))
			switch random.IntN(4) {
			case 0:
				match = append(match[:at], match[at+1:]...)
			case 1:
				match = match[:at]
			case 2:
				match = append(match[:at:at], append([]byte(noise(random)), match[at:]...)...)
			default:
				match[at] = byte(random.IntN(256))
			}
		}
		text.Write(match)
	}
	if random.IntN(3) > 0 {
		text.WriteString(noise(random))
	}
	return text.String()
}

var pieces = []string{
	" ", "\n", "\r\n", "\"", "'", "=", ": ", ";", "a", "_", "-", "0", "9", "k", "key", "token = ", ".", "x.y", "\x00", "\t", "`", "\\n", "é", "ſ",
	"\u212a", "日本", "\xff", "\xc3", "\xe2\x84", "\x80", "\u00a0", "\U0001f511", "K", "S", "|", "%", "#", "apiKey", "==", "/", "+", "<", "}",
}

func noise(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(6) {
		text.WriteString(pieces[random.IntN(len(pieces))])
	}
	return text.String()
}

// matching returns a text that the expression matches if its assertions hold.
func matching(random *rand.Rand, re *syntax.Regexp) string {
	repeat := func(low, high int) string {
		if high < low {
			high = low + 3
		}
		count := low + random.IntN(min(high-low, 12)+1)
		if random.IntN(8) == 0 {
			count = high
		}
		var text strings.Builder
		for range count {
			text.WriteString(matching(random, re.Sub[0]))
		}
		return text.String()
	}
	switch re.Op {
	case syntax.OpLiteral:
		var text strings.Builder
		for _, char := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				for range random.IntN(4) {
					char = unicode.SimpleFold(char)
				}
				if char >= utf8.RuneSelf && random.IntN(4) > 0 {
					char = unicode.SimpleFold(char)
				}
			}
			text.WriteRune(char)
		}
		return text.String()
	case syntax.OpCharClass:
		at := 2 * random.IntN(len(re.Rune)/2)
		return string(re.Rune[at] + rune(random.IntN(min(int(re.Rune[at+1]-re.Rune[at]), 200)+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return pieces[random.IntN(len(pieces))]
	case syntax.OpStar:
		return repeat(0, -1)
	case syntax.OpPlus:
		return repeat(1, -1)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpCapture:
		return matching(random, re.Sub[0])
	case syntax.OpAlternate:
		return matching(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpConcat:
		var text strings.Builder
		for _, sub := range re.Sub {
			text.WriteString(matching(random, sub))
		}
		return text.String()
	}
	return ""
}

// Expression returns a random expression that Go's regexp takes.
func Expression(random *rand.Rand) string {
	for {
		expr := expression(random, 4)
		if random.IntN(3) == 0 {
			expr = "(?i)" + expr
		}
		if _, err := syntax.Parse(expr, syntax.Perl); err == nil {
			return expr
		}
	}
}

var atoms = []string{
	"a", "b", "key", "ks", "token", "ab", ".", `\w`, `\d`, `\s`, `[a-z0-9]`, `[^a]`, `[\w.-]`, `\b`, `\B`, `^`, `$`, `(?m:^)`, `(?m:$)`, `\A`, `\z`, `\.`, "=",
	"é", `\x{fffd}`, `[K\x{212a}]`, `(?s:.)`, `[[:alpha:]]`, `\pL`, `[^\s]`, `(?i:Sk)`, `(?-i:AB)`, `\Qa.b\E`, "_", `[ab]`, `[]x]`, `[^]x]`, `\\`,
}

func expression(random *rand.Rand, depth int) string {
	if depth == 0 {
		return atoms[random.IntN(len(atoms))]
	}
	sub := func() string { return expression(random, random.IntN(depth)) }
	switch random.IntN(9) {
	case 0:
		return "(" + sub() + ")"
	case 1:
		return "(?:" + sub() + "|" + sub() + ")"
	case 2:
		return "(?P<n>" + sub() + "|" + sub() + "|" + sub() + ")"
	case 3:
		return "(?:" + sub() + ")" + []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{0,3}", "{1,4}?", "{3,}", "{0,5}?"}[random.IntN(11)]
	case 4:
		return atoms[random.IntN(len(atoms))] + []string{"*", "+", "?", "{5,}", "{0,10}?", "{2,6}"}[random.IntN(6)]
	default:
		return sub() + sub() + sub()
	}
}
