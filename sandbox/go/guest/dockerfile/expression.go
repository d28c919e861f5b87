package dockerfile

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

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
	return nil
}

// find gives where the first match begins, counted in runes, or -1. It fails when it is not done by the time given.
func (e expression) find(text string, until time.Time) (int, error) {
	left := time.Until(until)
	if left <= 0 {
		return -1, errors.New("no time is left for it")
	}
	if e.linear != nil {
		if found := e.linear.FindStringIndex(text); found != nil {
			return utf8.RuneCountInString(text[:found[0]]), nil
		}
		return -1, nil
	}
	e.trying.MatchTimeout = left
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
