// Package ahocorasick stands in for the library with which gitleaks looks for the keywords of its rules and for words
// that make a secret none. It needs no automaton: what must be held for 1,700 words is their list, sorted, and one bit
// for each beginning of three bytes, where the automata took 11 MB to build for each run.
package ahocorasick

import (
	"math"
	"slices"
	"strings"
)

// Trie is a set of words to look for.
type Trie struct {
	words []string
	// The words that begin with a byte are words[first[byte]:first[byte+1]].
	first [257]uint16
	// begins has a bit for the hash of each three bytes with which a word begins.
	begins [1 << 16 / 64]uint64
}

// Match is a word that was found.
type Match struct {
	pos  int64
	word string
}

// TrieBuilder collects words.
type TrieBuilder struct{ words []string }

// NewTrieBuilder returns a builder without words.
func NewTrieBuilder() *TrieBuilder { return &TrieBuilder{} }

// AddStrings adds words that are not empty.
func (b *TrieBuilder) AddStrings(words []string) *TrieBuilder {
	for _, word := range words {
		if word != "" {
			b.words = append(b.words, word)
		}
	}
	return b
}

// Build returns the set.
func (b *TrieBuilder) Build() *Trie {
	words := slices.Clone(b.words)
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > math.MaxUint16 {
		panic("ahocorasick: too many words")
	}
	t := &Trie{words: words}
	for i := len(words) - 1; i >= 0; i-- {
		t.mark(words[i])
	}
	at := 0
	for char := range t.first {
		for at < len(words) && int(words[at][0]) < char {
			at++
		}
		t.first[char] = uint16(at)
	}
	return t
}

// mark notes how a word begins; what follows a word shorter than three bytes can be anything.
func (t *Trie) mark(word string) {
	switch len(word) {
	case 1:
		for second := range 256 {
			t.mark(word + string([]byte{byte(second)}))
		}
	case 2:
		for third := range 256 {
			t.set(hash(word[0], word[1], byte(third)))
		}
	default:
		t.set(hash(word[0], word[1], word[2]))
	}
}

func (t *Trie) set(bit uint16) { t.begins[bit/64] |= 1 << (bit % 64) }

func hash(a, b, c byte) uint16 {
	return uint16((uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 0x9E3779B1 >> 16)
}

// MatchString returns the words that the text has, each at the first place where it is found.
func (t *Trie) MatchString(text string) []*Match {
	var matches []*Match
	found := make([]bool, len(t.words))
	t.search(text, func(at, word int) bool {
		if !found[word] {
			found[word] = true
			matches = append(matches, &Match{int64(at), t.words[word]})
		}
		return true
	})
	return matches
}

// MatchFirstString returns the first word that is found, or nil.
func (t *Trie) MatchFirstString(text string) (match *Match) {
	t.search(text, func(at, word int) bool {
		match = &Match{int64(at), t.words[word]}
		return false
	})
	return match
}

// search reports each word at each place until the visitor wants no more.
func (t *Trie) search(text string, visit func(at, word int) bool) {
	for at := range len(text) {
		if at+3 <= len(text) {
			bit := hash(text[at], text[at+1], text[at+2])
			if t.begins[bit/64]&(1<<(bit%64)) == 0 {
				continue
			}
		}
		rest := text[at:]
		for word := int(t.first[rest[0]]); word < int(t.first[int(rest[0])+1]); word++ {
			if strings.HasPrefix(rest, t.words[word]) && !visit(at, word) {
				return
			}
		}
	}
}

// Pos returns the byte at which the word begins.
func (m *Match) Pos() int64 { return m.pos }

// Match returns the word.
func (m *Match) Match() []byte { return []byte(m.word) }

// MatchString returns the word.
func (m *Match) MatchString() string { return m.word }
