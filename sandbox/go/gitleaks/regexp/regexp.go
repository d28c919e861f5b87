// Package regexp stands in for the engine that gitleaks uses when it is built with the tag gore2regex. It gives what
// Go's regexp gives, match for match. Where a match may begin is told by what every match must contain: a word out of a
// few, or a long run of characters of one kind; only there is the expression tried, by a deterministic automaton.
package regexp

import (
	"regexp"
	"sync"
	"unsafe"
)

// Regexp is an expression that is parsed and compiled when it is first used.
type Regexp struct {
	expr     string
	standard func() *regexp.Regexp
	search   func() *search

	mutex sync.Mutex
	idle  []*finder
	// The matches that were found last. gitleaks asks twice for those of a text that has any.
	last found
}

type found struct {
	text    string
	matches [][]int
}

// MustCompile takes an expression of Go's regexp. One that is none panics when it is first used.
func MustCompile(expr string) *Regexp {
	return &Regexp{
		expr:     expr,
		standard: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		search:   sync.OnceValue(func() *search { return planSearch(expr) }),
	}
}

// String returns the expression.
func (re *Regexp) String() string { return re.expr }

// NumSubexp returns the number of groups.
func (re *Regexp) NumSubexp() int { return countGroups(re.expr) }

// FindAllStringIndex is that of Go's regexp.
func (re *Regexp) FindAllStringIndex(text string, limit int) [][]int {
	plan := re.search()
	if plan == nil || limit >= 0 {
		return re.standard().FindAllStringIndex(text, limit)
	}
	if matches := re.takeLast(text); matches != nil {
		return matches
	}
	matches, whole := re.findAll(plan, text)
	if whole {
		matches = re.standard().FindAllStringIndex(text, limit)
	}
	re.keepLast(text, matches)
	return matches
}

// FindAllStringSubmatchIndex is that of Go's regexp.
func (re *Regexp) FindAllStringSubmatchIndex(text string, limit int) [][]int {
	plan := re.search()
	if plan == nil || limit >= 0 {
		return re.standard().FindAllStringSubmatchIndex(text, limit)
	}
	matches, whole := re.findAll(plan, text)
	if whole {
		return re.standard().FindAllStringSubmatchIndex(text, limit)
	}
	for i, match := range matches {
		matches[i] = plan.groups(text, match[0], match[1])
	}
	return matches
}

// MatchString tells whether the text has a match.
func (re *Regexp) MatchString(text string) bool { return re.standard().MatchString(text) }

// Match tells whether the text has a match.
func (re *Regexp) Match(text []byte) bool { return re.standard().Match(text) }

// FindString is that of Go's regexp.
func (re *Regexp) FindString(text string) string { return re.standard().FindString(text) }

// FindStringSubmatch is that of Go's regexp.
func (re *Regexp) FindStringSubmatch(text string) []string {
	return re.standard().FindStringSubmatch(text)
}

// FindAllString is that of Go's regexp.
func (re *Regexp) FindAllString(text string, limit int) []string {
	return re.standard().FindAllString(text, limit)
}

// FindAllStringSubmatch is that of Go's regexp.
func (re *Regexp) FindAllStringSubmatch(text string, limit int) [][]string {
	return re.standard().FindAllStringSubmatch(text, limit)
}

// FindAllSubmatchIndex is that of Go's regexp.
func (re *Regexp) FindAllSubmatchIndex(text []byte, limit int) [][]int {
	return re.standard().FindAllSubmatchIndex(text, limit)
}

// findAll has a finder of its own for each goroutine, since finding builds the automata. `whole` asks for Go's engine.
func (re *Regexp) findAll(plan *search, text string) (matches [][]int, whole bool) {
	re.mutex.Lock()
	var own *finder
	if n := len(re.idle); n > 0 {
		own, re.idle = re.idle[n-1], re.idle[:n-1]
	}
	re.mutex.Unlock()
	if own == nil {
		own = newFinder(plan)
	}
	matches, whole = own.findAll(text)
	re.mutex.Lock()
	re.idle = append(re.idle, own)
	re.mutex.Unlock()
	return matches, whole
}

func (re *Regexp) keepLast(text string, matches [][]int) {
	if len(matches) == 0 {
		return
	}
	copied := make([][]int, len(matches))
	for i, match := range matches {
		copied[i] = []int{match[0], match[1]}
	}
	re.mutex.Lock()
	re.last = found{text, copied}
	re.mutex.Unlock()
}

// takeLast returns the kept matches of this very string, once: the caller may change them, and the text shall not stay.
func (re *Regexp) takeLast(text string) [][]int {
	re.mutex.Lock()
	defer re.mutex.Unlock()
	if re.last.matches == nil || !isSame(re.last.text, text) {
		return nil
	}
	matches := re.last.matches
	re.last = found{}
	return matches
}

// isSame tells whether both are one string in memory, which cannot have changed while it is held.
func isSame(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}
