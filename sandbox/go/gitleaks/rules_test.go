package main

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/viper"
	engine "github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/sample"
	"github.com/zricethezav/gitleaks/v8/config"
)

// gitleaks itself reads its rules through viper.
func TestRulesAreReadAsGitleaksReadsThem(t *testing.T) {
	viper.SetConfigType("toml")
	if err := viper.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		t.Fatal(err)
	}
	var want, got config.ViperConfig
	if err := viper.Unmarshal(&want); err != nil {
		t.Fatal(err)
	}
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rules) < 200 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d rules differ from gitleaks' %d", len(got.Rules), len(want.Rules))
	}
}

// encodings is the expression with which gitleaks' decoder looks for encoded text.
const encodings = `(?P<percent>%[0-9A-Fa-f]{2}(?:.*%[0-9A-Fa-f]{2})?)|(?P<unicode>(?:(?:U\+[a-fA-F0-9]{4}(?:\s|$))+|(?i)(?:\\{1,2}u[a-fA-F0-9]{4})+))|(?P<hex>[0-9A-Fa-f]{32,})|(?P<base64>[\w\/+-]{16,}={0,2})`

func ruleExpressions(t *testing.T) []string {
	var rules config.ViperConfig
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &rules); err != nil {
		t.Fatal(err)
	}
	expressions := []string{encodings}
	for _, rule := range rules.Rules {
		if rule.Regex != "" {
			expressions = append(expressions, rule.Regex)
		}
		if rule.Path != "" {
			expressions = append(expressions, rule.Path)
		}
		for _, list := range rule.Allowlists {
			expressions = append(append(expressions, list.Regexes...), list.Paths...)
		}
	}
	return expressions
}

// Every expression of the rules is compiled here, since the program compiles one only where its keyword occurs.
func TestEveryRuleMatchesWhatGoMatches(t *testing.T) {
	matches := 0
	for seed, expr := range ruleExpressions(t) {
		own, standard := engine.MustCompile(expr), regexp.MustCompile(expr)
		if own.NumSubexp() != standard.NumSubexp() {
			t.Errorf("%s has %d groups, not %d", expr, standard.NumSubexp(), own.NumSubexp())
		}
		random := rand.New(rand.NewPCG(uint64(seed), 2))
		for range 60 {
			text := sample.Text(random, expr)
			want := standard.FindAllStringSubmatchIndex(text, -1)
			if got := own.FindAllStringSubmatchIndex(text, -1); !reflect.DeepEqual(got, want) {
				t.Fatalf("groups of %s in %q:\n got %v\nwant %v", expr, text, got, want)
			}
			if got, want := own.FindAllStringIndex(text, -1), standard.FindAllStringIndex(text, -1); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s in %q:\n got %v\nwant %v", expr, text, got, want)
			}
			matches += len(want)
		}
	}
	if matches < 10_000 {
		t.Errorf("the texts had only %d matches", matches)
	}
}
