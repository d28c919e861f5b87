package regexp

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/wasilibs/go-re2/sample"
)

// check fails when anything about the matches in the text differs from what Go's engine says.
func check(t *testing.T, own *Regexp, standard *regexp.Regexp, text string) {
	t.Helper()
	want := standard.FindAllStringIndex(text, -1)
	for range 2 {
		if got := own.FindAllStringIndex(text, -1); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q in %q:\n got %v\nwant %v", own, text, got, want)
		}
	}
	groups := standard.FindAllStringSubmatchIndex(text, -1)
	if got := own.FindAllStringSubmatchIndex(text, -1); !reflect.DeepEqual(got, groups) {
		t.Fatalf("groups of %q in %q:\n got %v\nwant %v", own, text, got, groups)
	}
}

func TestRandomExpressions(t *testing.T) {
	planned := 0
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 1))
		expr := sample.Expression(random)
		own, standard := MustCompile(expr), regexp.MustCompile(expr)
		if own.NumSubexp() != standard.NumSubexp() {
			t.Fatalf("%q has %d groups, not %d", expr, standard.NumSubexp(), own.NumSubexp())
		}
		if own.search() != nil {
			planned++
		}
		for range 30 {
			check(t, own, standard, sample.Text(random, expr))
		}
	}
	if planned < 1000 {
		t.Errorf("only %d of the expressions were searched by the own engine", planned)
	}
}

func FuzzExpressions(f *testing.F) {
	f.Add(`(?i)[\w.-]{0,5}?(?:key|token)\b[ =]{0,3}([a-z]{3,})(?:\s|$)`, "apiKey = abcd\nkey=\u212aey")
	f.Add(`\b[a-f0-9]{8,}\b|%[0-9a-f]{2}(?:.*%[0-9a-f]{2})?`, "00112233445566 %20é%ff\xff%")
	f.Fuzz(func(t *testing.T, expr, text string) {
		standard, err := regexp.Compile(expr)
		if err != nil || len(text) > 5000 || len(expr) > 300 {
			return
		}
		own := MustCompile(expr)
		if own.NumSubexp() != standard.NumSubexp() {
			t.Fatalf("%q has %d groups, not %d", expr, standard.NumSubexp(), own.NumSubexp())
		}
		check(t, own, standard, text)
	})
}

// A text in which every anchor leads far into the text must not take quadratic time: Go's engine gets it.
func TestTextsThatLeadFarAreLeftToGo(t *testing.T) {
	own := MustCompile(`\bcurl\b.*(?:-u|--user) ([a-z]+:[a-z]+)`)
	text := strings.Repeat("curl ", 40_000)
	if _, whole := own.findAll(own.search(), text); !whole {
		t.Fatal("the own engine went through all of it")
	}
	if got := own.FindAllStringIndex(text+"-u a:b", -1); !reflect.DeepEqual(got, [][]int{{0, len(text) + 6}}) {
		t.Fatalf("got %v", got)
	}
}
