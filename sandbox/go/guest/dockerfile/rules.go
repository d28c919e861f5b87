// Package dockerfile finds what the rule pack says of Dockerfiles, for which ast-grep has no grammar.
package dockerfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rule as src/scanners/rule-format.ts has checked it.
type rule struct {
	ID   string     `json:"id"`
	Rule definition `json:"rule"`
}

type definition struct {
	Instruction names      `json:"instruction"`
	Matches     expression `json:"matches"`
	NotMatches  expression `json:"not_matches"`
	Last        bool       `json:"last"`
	// `any` or `final`.
	Stage   string `json:"stage"`
	Missing bool   `json:"missing"`
}

// names of instructions: one, or a list.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(n))
}

type report struct {
	Files []fileReport `json:"files"`
	// Rules that hold nowhere, each with the reason.
	Refused []string `json:"refused,omitempty"`
}

type fileReport struct {
	File    string  `json:"file"`
	Error   string  `json:"error,omitempty"`
	Matches []match `json:"matches"`
}

type match struct {
	RuleID    string `json:"ruleId"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
}

// An engine that tries one way after another can be kept busy for ever by a text made for it. A file on which the rules take
// this long is reported as one that could not be examined.
var fileLimit = 10 * time.Second

// Run writes a report as JSON with one entry a Dockerfile of the folders, found by the ending `.dockerfile`. Matches are no
// error.
func Run(to io.Writer, rulesFile string, folders []string) error {
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		return err
	}
	var all []rule
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w", rulesFile, err)
	}
	rules, refused := sortOut(all)
	found := report{Files: []fileReport{}, Refused: refused}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(entry.Name(), ".dockerfile") {
				found.Files = append(found.Files, examine(path, rules))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return json.NewEncoder(to).Encode(found)
}

// sortOut parts the rules from those with an expression that this engine does not take.
func sortOut(all []rule) (rules []rule, refused []string) {
	for _, one := range all {
		if err := cmp.Or(one.Rule.Matches.err, one.Rule.NotMatches.err); err != nil {
			refused = append(refused, fmt.Sprintf("%s: %v", one.ID, err))
		} else {
			rules = append(rules, one)
		}
	}
	return rules, refused
}

func examine(path string, rules []rule) fileReport {
	report := fileReport{File: path, Matches: []match{}}
	text, err := os.ReadFile(path)
	if err == nil {
		report.Matches, err = matchText(string(text), rules, time.Now().Add(fileLimit))
	}
	if err != nil {
		report.Error = err.Error()
	}
	return report
}

// matchText gives what the rules find in one Dockerfile, in order of the lines. What it says
// beside an error is what the other rules find: an expression may not be done by the time given.
func matchText(text string, rules []rule, until time.Time) ([]match, error) {
	stages := toStages(parse(text))
	matches := []match{}
	var failure error
	for _, rule := range rules {
		for index, stage := range stages {
			found, err := matchStage(stage, rule, index == len(stages)-1, until)
			if err != nil {
				failure = cmp.Or(failure, fmt.Errorf("the rule %s: %w", rule.ID, err))
				break
			}
			matches = append(matches, found...)
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return a.StartLine - b.StartLine })
	return matches, failure
}

// toStages: each FROM begins a stage; what stands before the first (ARG) belongs to it.
func toStages(instructions []instruction) [][]instruction {
	var stages [][]instruction
	var before []instruction
	for _, instruction := range instructions {
		last := len(stages) - 1
		switch {
		case instruction.name == "FROM":
			stages = append(stages, append(before, instruction))
			before = nil
		case last < 0:
			before = append(before, instruction)
		default:
			stages[last] = append(stages[last], instruction)
		}
	}
	if before != nil {
		stages = append(stages, before)
	}
	return stages
}

func matchStage(stage []instruction, rule rule, isFinal bool, until time.Time) ([]match, error) {
	if rule.Rule.Stage == "final" && !isFinal {
		return nil, nil
	}
	var candidates []instruction
	for _, instruction := range stage {
		if slices.Contains(rule.Rule.Instruction, instruction.name) {
			candidates = append(candidates, instruction)
		}
	}
	if rule.Rule.Last && len(candidates) > 1 {
		candidates = candidates[len(candidates)-1:]
	}
	var fits []match
	for _, candidate := range candidates {
		line, err := matchInstruction(candidate, rule, until)
		if err != nil {
			return nil, err
		}
		if line > 0 {
			fits = append(fits, match{RuleID: rule.ID, StartLine: line, EndLine: candidate.endLine})
		}
	}
	if !rule.Rule.Missing {
		return fits, nil
	}
	from := slices.IndexFunc(stage, func(i instruction) bool { return i.name == "FROM" })
	if len(fits) > 0 || from < 0 {
		return nil, nil
	}
	return []match{{RuleID: rule.ID, StartLine: stage[from].startLine, EndLine: stage[from].endLine}}, nil
}

// matchInstruction gives the line on which the match begins, 0 when there is none.
func matchInstruction(instruction instruction, rule rule, until time.Time) (int, error) {
	if exception := rule.Rule.NotMatches; exception.isSet {
		if at, err := exception.find(instruction.text, until); err != nil || at >= 0 {
			return 0, err
		}
	}
	if !rule.Rule.Matches.isSet {
		return instruction.startLine, nil
	}
	at, err := rule.Rule.Matches.find(instruction.text, until)
	if err != nil || at < 0 {
		return 0, err
	}
	return instruction.lineAt(at), nil
}
