package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fatih/semgroup"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/report"
	"github.com/zricethezav/gitleaks/v8/sources"

	engine "github.com/wasilibs/go-re2"
)

// token is put together so that no scanner takes this file for a leak.
var token = strings.Join([]string{"ghp", "_", "Wq7Rt2Yx9Lk4Mn8Vb3", "Hs6Jd1Fg5PzCaEuIoT"}, "")

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

func runOn(t *testing.T, root string, more ...string) (findings []report.Finding, log string) {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.toml")
	// Without the list of files that gitleaks does not look at, as in the image.
	head, rest, _ := strings.Cut(config.DefaultConfig, "[allowlist]")
	_, rest, _ = strings.Cut(rest, "[[rules]]")
	if err := os.WriteFile(rules, []byte(head+"[[rules]]"+rest), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := strings.Fields("--no-banner --no-color -l info -i /nonexistent -f json -r - --exit-code 0 -c " + rules)
	if status := run(slices.Concat([]string{"dir", root}, args, more), &stdout, &stderr); status != 0 {
		t.Fatalf("exit status %d: %s", status, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), &findings); err != nil {
		t.Fatalf("%v in %s", err, &stdout)
	}
	return findings, stderr.String()
}

func TestFindsSecretsAlsoEncodedOnesAndSaysHowMuchItRead(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("x = " + token))
	root := writeTree(t, map[string]string{
		"a.txt":            "\ntoken = " + token + " # gitleaks:allow\n",
		"b/c.txt":          "\n\n" + base64.StdEncoding.EncodeToString([]byte(encoded)) + "\n",
		"empty":            "",
		".gitleaksignore":  "a.txt:github-pat:2\n",
		".gitleaks.toml":   "[allowlist]\npaths = ['.*']\n",
		"k/store.p12":      "\x00\x01",
		"looks/binary.txt": "MZ" + token,
	})
	found, log := runOn(t, root, "--ignore-gitleaks-allow", "--redact=100")
	var got []string
	for _, one := range found {
		name, _ := filepath.Rel(root, one.File)
		got = append(got, fmt.Sprintf("%s %s:%d:%d-%d:%d %s %v", one.RuleID, name, one.StartLine, one.StartColumn, one.EndLine, one.EndColumn, one.Secret, one.Tags))
	}
	want := []string{
		"github-pat a.txt:2:10-2:49 REDACTED []",
		fmt.Sprintf("github-pat b/c.txt:3:2-3:%d REDACTED [decoded:base64 decode-depth:2]", 1+len(base64.StdEncoding.EncodeToString([]byte(encoded)))),
		"pkcs12-file k/store.p12:0:0-0:0 REDACTED []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	read := 0
	for _, name := range []string{"a.txt", "b/c.txt", ".gitleaksignore", ".gitleaks.toml", "k/store.p12"} {
		content, _ := os.ReadFile(filepath.Join(root, name))
		read += len(content)
	}
	if !strings.Contains(log, fmt.Sprintf("scanned ~%d bytes", read)) {
		t.Errorf("not ~%d bytes: %s", read, log)
	}
	if found, _ := runOn(t, root); len(found) != 2 || found[0].Secret != token {
		t.Errorf("without both options: %v", found)
	}
}

func TestRefusesWhatItDoesNotDo(t *testing.T) {
	root := writeTree(t, map[string]string{"rules.toml": "title = 'x'\n[[rules]]\nid = 'r'\nregex = 'a'\nsecretGroup = 3\n", "broken.toml": "[[rules"})
	for line, want := range map[string]int{
		"":                                  exitUsage,
		"git .":                             exitUsage,
		"dir -c x":                          exitUsage,
		"dir . --no-such -c x":              exitUsage,
		"dir . extra -c x":                  exitUsage,
		"dir .":                             exitUsage,
		"dir . -c x -f sarif":               exitUsage,
		"dir . -c " + root + "/none.toml":   exitFailure,
		"dir . -c " + root + "/rules.toml":  exitFailure,
		"dir . -c " + root + "/broken.toml": exitFailure,
		"dir /no/such/folder -c " + root + "/t/e": exitFailure,
	} {
		var stdout, stderr bytes.Buffer
		if status := run(strings.Fields(line), &stdout, &stderr); status != want || stderr.Len() == 0 || stdout.Len() > 0 {
			t.Errorf("%q: exit status %d, not %d: %s", line, status, want, &stderr)
		}
	}
}

// The folder is read as gitleaks reads it: the same fragments of the same files.
func TestYieldsTheFragmentsThatGitleaksYields(t *testing.T) {
	files := map[string]string{
		"long.txt":        strings.Repeat("word word word\n\n", 30_000) + "end",
		"line.txt":        strings.Repeat("0123456789", 40_000),
		"mixed.txt":       strings.Repeat("a\n", 70_000) + strings.Repeat("\n\nb b", 9_000),
		"x.zip.txt":       "looks like an archive",
		"program.txt":     "MZ looks like a program",
		"empty":           "",
		"allowed/in.txt":  "x",
		"sub/allowed.txt": "x",
		".hidden/h":       "\xff\xfe bytes",
	}
	for i := range 3 * fewFiles {
		files[fmt.Sprintf("many/%d.txt", i)] = strings.Repeat("text\n", i)
	}
	root := writeTree(t, files)
	if err := os.Symlink("long.txt", filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	rules := config.Config{Allowlists: []*config.Allowlist{{Paths: []*engine.Regexp{engine.MustCompile(`/allowed(?:\.txt)?$`)}}}}
	collect := func(source sources.Source) (fragments []string) {
		var mutex sync.Mutex
		err := source.Fragments(context.Background(), func(fragment sources.Fragment, err error) error {
			mutex.Lock()
			defer mutex.Unlock()
			fragments = append(fragments, fmt.Sprint(fragment.FilePath, fragment.StartLine, len(fragment.Bytes), err, fragment.Raw))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(fragments)
		return fragments
	}
	got := collect(&folder{path: root, config: &rules})
	want := collect(&sources.Files{Path: root, Config: &rules, Sema: semgroup.NewGroup(context.Background(), 4)})
	if len(want) < 3*fewFiles || !slices.Equal(got, want) {
		t.Errorf("%d fragments, not gitleaks' %d", len(got), len(want))
	}
}
