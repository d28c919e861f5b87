package dockerfile

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// An engine that tries one way after another can be kept busy for ever by a text made for it. A file on which an expression
// takes this long is reported as one that could not be examined.
var expressionLimit = 10 * time.Second

// expression of JavaScript, with its flags `i` and `s`. Go's own engine, whose time grows with the text alone, runs those
// that mean the same to both; the others, as with lookarounds, need one that tries.
type expression struct {
	isSet  bool
	linear *regexp.Regexp
	trying *regexp2.Regexp
	// Why neither takes it.
	err error
}

func (e *expression) UnmarshalJSON(text []byte) error {
	var source string
	if err := json.Unmarshal(text, &source); err != nil {
		return err
	}
	e.isSet = true
	if meansTheSame(source) {
		e.linear, _ = regexp.Compile("(?is)" + source)
	}
	if e.linear == nil {
		e.trying, e.err = regexp2.Compile(source, regexp2.ECMAScript|regexp2.IgnoreCase|regexp2.Singleline)
	}
	if e.trying != nil {
		e.trying.MatchTimeout = expressionLimit
	}
	return nil
}

// find gives where the first match begins, counted in runes, or -1.
func (e expression) find(text string) (int, error) {
	if e.linear != nil {
		if found := e.linear.FindStringIndex(text); found != nil {
			return utf8.RuneCountInString(text[:found[0]]), nil
		}
		return -1, nil
	}
	found, err := e.trying.FindStringMatch(text)
	if err != nil || found == nil {
		return -1, err
	}
	return found.Index, nil
}

// meansTheSame tells whether an expression holds nothing that both engines take and read differently: escapes, brackets
// that one takes for an empty class, named classes.
func meansTheSame(source string) bool {
	for at := 0; at < len(source)-1; at++ {
		switch {
		case source[at] == '\\':
			if strings.IndexByte("AazQEpPCx", source[at+1]) >= 0 {
				return false
			}
			at++
		case source[at] == '[' && (source[at+1] == ']' || source[at+1] == '[' || strings.HasPrefix(source[at+1:], "^]")):
			return false
		}
	}
	return true
}
