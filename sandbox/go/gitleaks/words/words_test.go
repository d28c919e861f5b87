package ahocorasick

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestFindsEveryWordThatTheTextHas(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(length int) string {
		chars := make([]byte, random.IntN(length))
		for i := range chars {
			chars[i] = "abcd\xc3\xff"[random.IntN(6)]
		}
		return string(chars)
	}
	for range 3000 {
		var words []string
		for range random.IntN(12) {
			words = append(words, text(7))
		}
		words = append(words, "x"+text(4))
		set := NewTrieBuilder().AddStrings(words).Build()
		whole := text(60) + "x"
		var want, got []string
		for _, word := range words {
			if word != "" && strings.Contains(whole, word) {
				want = append(want, word)
			}
		}
		for _, match := range set.MatchString(whole) {
			if at := int(match.Pos()); whole[at:at+len(match.Match())] != match.MatchString() || strings.Index(whole, match.MatchString()) != at {
				t.Fatalf("%q is not first at %d in %q", match.MatchString(), at, whole)
			}
			got = append(got, match.MatchString())
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(slices.Compact(want), got) {
			t.Fatalf("%q in %q: got %q, want %q", words, whole, got, want)
		}
		if first := set.MatchFirstString(whole); (first == nil) != (len(want) == 0) {
			t.Fatalf("%q in %q: first is %v", words, whole, first)
		}
	}
}
