package dockerfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestInstructions(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil,
		// Continuations, comments and blank lines in between.
		"# c\nFROM a AS b\r\nrun x && \\\n# note\n\n  y | \\\n  z\nUSER u\n": {"2-2 FROM a AS b", "3-7 RUN x && y | z", "8-8 USER u"},
		// The escape directive, and one that is none: directives stand before everything else.
		"# syntax=docker/dockerfile:1\n# escape=`\nFROM a\nRUN b `\n c\\\nUSER d\n": {"3-3 FROM a", `4-5 RUN b c\`, "6-6 USER d"},
		"# note\n# escape=`\nRUN b \\\n c `\n":                                      {"3-4 RUN b c `"},
		"# escape=x\nRUN b \\\n c\n":                                                {"2-3 RUN b c"},
		// Heredocs.
		"RUN <<EOF sh\ncurl x | sh\nEOF\nCOPY <<-\"A\" <<B /d\n\tone\n\tA\ntwo\nB\nUSER u": {
			"1-2 RUN <<EOF sh curl x | sh", "4-7 COPY <<-\"A\" <<B /d \tone two", "9-9 USER u",
		},
		"RUN cat <<<EOF\nUSER u":                      {"1-1 RUN cat <<<EOF", "2-2 USER u"},
		"USER <<EOF\nRUN a\nEOF":                      {"1-1 USER <<EOF", "2-2 RUN a", "3-3 EOF "},
		"RUN <<EOF\nUSER u":                           {"1-1 RUN <<EOF", "2-2 USER u"},
		"ONBUILD RUN a\n???\n":                        {"1-1 RUN a"},
		"ONBUILD RUN <<A\nb\nA\n":                     {"1-2 RUN <<A b"},
		"RUN a \\":                                    {"1-1 RUN a"},
		"\ufeffFROM a\nRUN\u00a0b\nRUN[\"a\"]\nRUN\n": {"1-1 FROM a", "4-4 RUN "},
		// A heredoc is a word of its own, not part of one, not in quotes, not in a list.
		"RUN echo $((1<<20))\nUSER u":               {"1-1 RUN echo $((1<<20))", "2-2 USER u"},
		"RUN echo 1 << n\nUSER u":                   {"1-1 RUN echo 1 << n", "2-2 USER u"},
		"RUN echo \"a <<EOF b\"\nUSER u":            {"1-1 RUN echo \"a <<EOF b\"", "2-2 USER u"},
		"RUN [\"echo\", \"<<EOF\"]\nUSER u":         {"1-1 RUN [\"echo\", \"<<EOF\"]", "2-2 USER u"},
		"RUN --mount=a [\"x\", \"<<EOF\"]\nUSER u":  {"1-1 RUN --mount=a [\"x\", \"<<EOF\"]", "2-2 USER u"},
		"RUN <<END-OF\na\nEND\nEND-OF\nUSER u":      {"1-3 RUN <<END-OF a END", "5-5 USER u"},
		"RUN 3<<\"END OF\"\nUSER x\nEND OF\nUSER u": {"1-2 RUN 3<<\"END OF\" USER x", "4-4 USER u"},
		// A mark that is escaped does not continue, nor does one before a vertical tab; blanks after it do not matter.
		"RUN echo a\\\\\nUSER u":  {"1-1 RUN echo a\\\\", "2-2 USER u"},
		"RUN a \\\v\nUSER u":      {"1-1 RUN a \\", "2-2 USER u"},
		"RUN a \\ \t\n b\nUSER u": {"1-2 RUN a b", "3-3 USER u"},
		// Lines are joined as they stand.
		"RU\\\nN cu\\\nrl x\n":             {"1-3 RUN curl x"},
		"RUN \\\n  a\\\n  b \\\n  \\\nc\n": {"1-5 RUN a b c"},
		// Only directives that are known go before others.
		"# foo=bar\n# escape=`\nRUN b \\\n c":        {"3-4 RUN b c"},
		"# check=skip=A, B\n# escape=`\nRUN b `\n c": {"3-4 RUN b c"},
	} {
		var got []string
		for _, i := range parse(text) {
			got = append(got, fmt.Sprintf("%d-%d %s %s", i.startLine, i.endLine, i.name, i.text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n%q\n%q", text, got, want)
		}
	}
}

func soon() time.Time { return time.Now().Add(10 * time.Second) }

const source = "ARG V\nFROM a AS one\nUSER root\nRUN ü && \\\n  curl u | sh\nFROM b\nRUN ok\nUSER app\nUSER root\n"

func TestRules(t *testing.T) {
	for definition, want := range map[string]string{
		// A match starts on its own line.
		`{"instruction": "RUN", "matches": "curl.*SH"}`: "5-5",
		`{"instruction": "RUN", "not_matches": "CURL"}`: "7-7",
		`{"instruction": ["FROM", "ARG"]}`:              "1-1 2-2 6-6",
		// The last of each stage, of the final stage.
		`{"instruction": "USER", "matches": "^root$", "last": true}`:                   "3-3 9-9",
		`{"instruction": "USER", "matches": "^root$", "last": true, "stage": "final"}`: "9-9",
		`{"instruction": "USER", "matches": "^app$", "last": true}`:                    "",
		// What is missing is reported at the FROM.
		`{"instruction": ["HEALTHCHECK"], "missing": true}`:                    "2-2 6-6",
		`{"instruction": "USER", "missing": true, "stage": "final"}`:           "",
		`{"instruction": "RUN", "matches": "(?<=&& )curl(?!x)|^\\w$"}`:         "5-5",
		`{"instruction": "RUN", "matches": "(?<name>u) \\| \\k<name>|.\\s&&"}`: "4-5",
	} {
		var one rule
		if err := json.Unmarshal([]byte(`{"id": "r", "rule": `+definition+`}`), &one); err != nil {
			t.Errorf("%s: %v", definition, err)
			continue
		}
		matches, err := matchText(source, []rule{one}, soon())
		var places []string
		for _, m := range matches {
			places = append(places, fmt.Sprintf("%d-%d", m.StartLine, m.EndLine))
		}
		if got := strings.Join(places, " "); err != nil || got != want {
			t.Errorf("%s: %s, not %s, %v", definition, got, want, err)
		}
	}
	if matches, _ := matchText("RUN a\n", []rule{{Rule: definition{Instruction: names{"USER"}, Missing: true}}}, soon()); len(matches) > 0 {
		t.Errorf("missing from a text without FROM: %v", matches)
	}
}

// runOn gives the report on files by name.
func runOn(t *testing.T, rules string, files map[string]string) (report, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, "files", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rulesFile := filepath.Join(folder, "rules.json")
	if err := os.WriteFile(rulesFile, []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	err := Run(&written, rulesFile, []string{filepath.Join(folder, "files")})
	var got report
	if err == nil {
		if err := json.Unmarshal(written.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
	}
	for index := range got.Files {
		got.Files[index].File, _ = filepath.Rel(filepath.Join(folder, "files"), got.Files[index].File)
	}
	return got, err
}

func TestEveryFileOfTheFolderIsNamed(t *testing.T) {
	got, err := runOn(t, `[{"id": "r", "rule": {"instruction": "RUN"}}]`, map[string]string{
		"1.dockerfile": "RUN a\n", "deep/er/2.dockerfile": "", "3.txt": "RUN a\n", "4.dockerfile": "RUN \xff\xfe\n",
	})
	want := `{"files":[{"file":"1.dockerfile","matches":[{"ruleId":"r","startLine":1,"endLine":1}]},` +
		`{"file":"4.dockerfile","matches":[{"ruleId":"r","startLine":1,"endLine":1}]},{"file":"deep/er/2.dockerfile","matches":[]}]}`
	if text, _ := json.Marshal(got); err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestAnExpressionThatCannotBeUsedIsNamedAndTheOthersHold(t *testing.T) {
	rules := `[{"id": "bad", "rule": {"instruction": "RUN", "matches": "(a"}}, {"id": "good", "rule": {"instruction": "RUN"}}]`
	got, err := runOn(t, rules, map[string]string{"1.dockerfile": "RUN (a\n"})
	if err != nil || len(got.Files) != 1 || len(got.Files[0].Matches) != 1 || got.Files[0].Matches[0].RuleID != "good" {
		t.Errorf("%+v, %v", got, err)
	}
	if len(got.Refused) != 1 || !strings.HasPrefix(got.Refused[0], "bad: ") {
		t.Errorf("%q", got.Refused)
	}
}

func TestAFileThatKeepsAnExpressionBusyIsNamedAndTheOthersAreExamined(t *testing.T) {
	rules := `[{"id": "slow", "rule": {"instruction": "RUN", "matches": "^(?:a|aa)+$(?!b)"}}, {"id": "add", "rule": {"instruction": "ADD"}}]`
	before := fileLimit
	fileLimit = 200 * time.Millisecond
	defer func() { fileLimit = before }()
	// Many instructions, none of which alone takes the whole time.
	slow := strings.Repeat("RUN "+strings.Repeat("a", 24)+"!\n", 10_000)
	got, err := runOn(t, rules, map[string]string{"0.dockerfile": "ADD x\n" + slow, "1.dockerfile": "RUN " + strings.Repeat("a", 5000) + "!\n", "2.dockerfile": "RUN aa\n"})
	if err != nil || len(got.Files) != 3 || len(got.Files[2].Matches) != 1 ||
		!strings.Contains(got.Files[0].Error, "the rule slow") || !strings.Contains(got.Files[1].Error, "the rule slow") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRulesThatCannotBeReadAreAnError(t *testing.T) {
	for text, want := range map[string]string{"[": "unexpected end", `[{"id": 1}]`: "cannot unmarshal number"} {
		if _, err := runOn(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheEngineOfAnExpression(t *testing.T) {
	for source, linear := range map[string]bool{
		`a|b\s+c$`: true, `[\w.-]+\.\[x\]`: true, `(?:a{2,}|\\A)`: true, `\$\{?`: true, `[\\]`: true,
		`a(?!b)`: false, `(a)\1`: false, `[]a`: false, `[^]`: false, `\x41`: false, `\a`: false, `[[:alpha:]]`: false, `\cA`: false, `\u0041`: false,
	} {
		var e expression
		text, _ := json.Marshal(source)
		if err := json.Unmarshal(text, &e); err != nil || e.err != nil || (e.linear != nil) != linear || (e.trying == nil) != linear {
			t.Errorf("%s: %+v, %v", source, e, err)
		}
	}
}

func TestBothEnginesCountRunes(t *testing.T) {
	for _, source := range []string{"é", "é(?!x)"} {
		var e expression
		text, _ := json.Marshal(source)
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		if at, err := e.find("日本 É", soon()); at != 3 || err != nil {
			t.Errorf("%s: %d, %v", source, at, err)
		}
		if at, err := e.find("e", soon()); at != -1 || err != nil {
			t.Errorf("%s: %d, %v", source, at, err)
		}
	}
}
