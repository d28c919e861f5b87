package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
)

const vulnerable = `package %s

import (
	"crypto/md5"
	"os/exec"
)

func Run(name string) []byte {
	_ = exec.Command("sh", "-c", name).Run() // #nosec
	sum := md5.Sum([]byte(name))
	return sum[:]
}
`

// The whole module at once must give what gosec's own one-directory-at-a-time run gives.
func TestFindsWhatTheLibraryFinds(t *testing.T) {
	root := writeTree(t, map[string]string{
		"go.mod":              "module example.test/m\n\ngo 1.26\n",
		"main.go":             "package main\n\nimport \"example.test/m/inner\"\n\nfunc main() { inner.Run(\"x\") }\n",
		"inner/inner.go":      fmt.Sprintf(vulnerable, "inner"),
		"inner/inner_test.go": "package inner\n\nimport (\n\t\"math/rand\"\n\t\"testing\"\n)\n\nfunc TestRun(t *testing.T) { Run(string(rune(rand.Int()))) }\n",
		"broken/broken.go":    "package broken\n\nimport \"no.such/module\"\n\nfunc F() { module.G() }\n",
		"testdata/t.go":       fmt.Sprintf(vulnerable, "testdata"),
		"_hidden/h.go":        fmt.Sprintf(vulnerable, "hidden"),
		"vendor/v/v.go":       fmt.Sprintf(vulnerable, "v"),
		"nested/go.mod":       "module example.test/nested\n\ngo 1.26\n",
		"nested/n.go":         fmt.Sprintf(vulnerable, "nested"),
	})
	dirs := []string{"", "inner", "broken", "testdata", "_hidden", "vendor/v", "nested"}
	for i, dir := range dirs {
		dirs[i] = filepath.Join(root, dir)
	}
	for _, tests := range []bool{false, true} {
		scan := scanner{ignoreNosec: true, tests: tests, concurrency: 2, logger: log.New(io.Discard, "", 0)}
		found := scan.run(dirs)
		want := libraryIssues(t, tests, dirs)
		got := describe(found.issues)
		if !slices.Equal(got, want) {
			t.Errorf("tests=%v:\n got %v\nwant %v", tests, got, want)
		}
		if len(got) < 10 {
			t.Errorf("tests=%v: only %d findings, so this compares too little", tests, len(got))
		}
	}
}

func TestReportNamesFilesAndErrors(t *testing.T) {
	root := writeTree(t, map[string]string{
		"a.go":        fmt.Sprintf(vulnerable, "a"),
		"windows.go":  "//go:build windows\n\npackage a\n",
		"bad/bad.go":  "package bad\n\nfunc {\n",
		"sub/.keep":   "",
		"sub/c/c.go":  fmt.Sprintf(vulnerable, "c"),
		"sub/c/c.txt": "",
	})
	var out, log bytes.Buffer
	status := run([]string{"-quiet", root, filepath.Join(root, "bad"), filepath.Join(root, "sub") + "/...", filepath.Join(root, "gone")}, &out, &log)
	if status != exitFound {
		t.Fatalf("exit %d, %s", status, log.String())
	}
	var result struct {
		Errors map[string][]gosec.Error `json:"Golang errors"`
		Issues []struct {
			RuleID   string `json:"rule_id"`
			Severity string `json:"severity"`
		}
		Stats gosec.Metrics
		Files []string
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(root, "a.go"), filepath.Join(root, "bad/bad.go"), filepath.Join(root, "sub/c/c.go")}
	if !slices.Equal(result.Files, want) {
		t.Errorf("files %v, want %v", result.Files, want)
	}
	if result.Stats.NumFiles != len(want) || result.Stats.NumFound != len(result.Issues) {
		t.Errorf("stats %+v do not match %d files and %d issues", result.Stats, len(want), len(result.Issues))
	}
	for _, place := range []string{filepath.Join(root, "gone"), filepath.Join(root, "bad/bad.go")} {
		if len(result.Errors[place]) == 0 {
			t.Errorf("no error for %s in %v", place, result.Errors)
		}
	}
	for _, found := range result.Issues {
		if found.RuleID == "G204" {
			t.Errorf("#nosec was ignored without -nosec: %v", found)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-no-such-flag", "."}, {"-concurrency", "0", "."}} {
		var out, log bytes.Buffer
		if status := run(args, &out, &log); status != exitUsage || log.Len() == 0 || out.Len() != 0 {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", args, status, out.String(), log.String())
		}
	}
}

func libraryIssues(t *testing.T, tests bool, dirs []string) []string {
	t.Helper()
	config := gosec.NewConfig()
	config.SetGlobal(gosec.Nosec, "true")
	analyzer := gosec.NewAnalyzer(config, tests, false, false, 1, log.New(io.Discard, "", 0))
	analyzer.LoadRules(rules.Generate(false).RulesInfo())
	analyzer.LoadAnalyzers(analyzers.Generate(false).AnalyzersInfo())
	if err := analyzer.Process(nil, dirs...); err != nil {
		t.Fatal(err)
	}
	issues, _, _ := analyzer.Report()
	return describe(issues)
}

func describe(issues []*issue.Issue) []string {
	lines := make([]string, 0, len(issues))
	for _, found := range issues {
		lines = append(lines, fmt.Sprintf("%s:%s:%s %s", found.File, found.Line, found.Col, found.RuleID))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// From source and export data, without the go command, the findings must be the same.
func TestLoadsFromSource(t *testing.T) {
	root := writeTree(t, map[string]string{
		"go.mod":                 "module example.test/m\n\ngo 1.26\n\nreplace example.test/near => ./near\n",
		"main.go":                "package main\n\nimport (\n\t\"example.test/m/inner\"\n\t\"example.test/near\"\n\t\"v.test/v\"\n)\n\nfunc main() { inner.Run(near.Name() + v.Name()) }\n",
		"inner/inner.go":         fmt.Sprintf(vulnerable, "inner"),
		"inner/inner_test.go":    "package inner_test\n\nimport (\n\t\"testing\"\n\n\t\"example.test/m/inner\"\n)\n\nfunc TestRun(t *testing.T) { inner.Run(\"x\") }\n",
		"inner/other_windows.go": fmt.Sprintf(vulnerable, "inner"),
		"near/go.mod":            "module example.test/near\n",
		"near/n.go":              "package near\n\nfunc Name() string { return \"n\" }\n",
		"vendor/v.test/v/v.go":   "package v\n\nfunc Name() string { return \"v\" }\n",
		"broken/broken.go":       "package broken\n\nimport \"no.such/module\"\n\nfunc F() { module.G() }\n",
		"c/c.go":                 "package c\n\nimport \"C\"\n\nimport \"crypto/md5\"\n\nfunc F() { C.f(); md5.New() }\n",
		"cycle/a/a.go":           "package a\n\nimport \"example.test/m/cycle/b\"\n\nvar A = b.B\n",
		"cycle/b/b.go":           "package b\n\nimport \"example.test/m/cycle/a\"\n\nvar B = a.A\n",
	})
	table := filepath.Join(t.TempDir(), "exports.tsv")
	list := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "os/exec", "crypto/md5", "testing")
	content, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, content, 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := newSourceLoader(table, nil)
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, dir := range []string{"", "inner", "broken", "c", "cycle/a", "near"} {
		dirs = append(dirs, filepath.Join(root, dir))
	}
	scan := scanner{source: source, ignoreNosec: true, tests: true, concurrency: 2, logger: log.New(io.Discard, "", 0)}
	found := scan.run(dirs)

	var files []string
	for _, file := range found.sortedFiles() {
		relative, _ := filepath.Rel(root, file)
		files = append(files, relative)
	}
	want := []string{"broken/broken.go", "c/c.go", "cycle/a/a.go", "inner/inner.go", "inner/inner_test.go", "main.go", "near/n.go"}
	if !slices.Equal(files, want) {
		t.Errorf("analysed %v, want %v", files, want)
	}
	rules := map[string]int{}
	for _, issue := range found.issues {
		relative, _ := filepath.Rel(root, issue.File)
		rules[relative+" "+issue.RuleID]++
	}
	for _, rule := range []string{"inner/inner.go G204", "inner/inner.go G401", "inner/inner.go G501", "c/c.go G401"} {
		if rules[rule] != 1 {
			t.Errorf("%s: %d findings, want 1 (all: %v)", rule, rules[rule], rules)
		}
	}
	for _, place := range []string{"main.go", "inner/inner.go", "near/n.go"} {
		if errs := found.errors[filepath.Join(root, place)]; len(errs) > 0 {
			t.Errorf("%s does not type-check: %v", place, errs)
		}
	}
	if len(found.errors[filepath.Join(root, "broken/broken.go")]) == 0 {
		t.Error("an import that nothing provides is no error")
	}
	if _, err := newSourceLoader(filepath.Join(root, "none"), nil); err == nil {
		t.Error("a table that does not exist is taken")
	}
}
