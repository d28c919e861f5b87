package main

import (
	"fmt"
	"log"
	"path/filepath"
	"strings"
	"sync"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
	"golang.org/x/tools/go/packages"
)

// scanner holds what one run needs; its run method may be called once.
type scanner struct {
	source      *sourceLoader // nil: the go command loads the packages
	ignoreNosec bool
	tests       bool
	tags        []string
	include     []string
	exclude     []string
	concurrency int
	logger      *log.Logger
}

// results gathers what the workers found. An issue counts once however often its file was type-checked.
type results struct {
	mutex  sync.Mutex
	issues []*issue.Issue
	seen   map[string]bool
	files  map[string]bool
	errors map[string][]gosec.Error
	stats  *gosec.Metrics
}

// run analyses the packages of all directories and never fails as a whole: what could not be read is in errors.
func (s *scanner) run(dirs []string) *results {
	found := &results{
		issues: []*issue.Issue{},
		seen:   map[string]bool{},
		files:  map[string]bool{},
		errors: map[string][]gosec.Error{},
		stats:  &gosec.Metrics{},
	}
	work := make(chan *packages.Package)
	var workers sync.WaitGroup
	for range s.concurrency {
		workers.Go(func() {
			for pkg := range work {
				s.analyse(pkg, found)
			}
		})
	}
	s.loadAll(dirs, found, work)
	close(work)
	workers.Wait()
	return found
}

func (s *scanner) loadAll(dirs []string, found *results, work chan<- *packages.Package) {
	if s.source != nil {
		// All first: reading export data later would fill in types that an analysis already looks at.
		var pkgs []*packages.Package
		for _, dir := range dirs {
			pkgs = append(pkgs, s.source.load(dir, s.tests)...)
		}
		for _, pkg := range pkgs {
			work <- pkg
		}
		return
	}
	for _, group := range groupByModule(dirs) {
		for _, pkg := range s.load(group, found) {
			work <- pkg
		}
	}
}

// analyse runs the rules and the analyzers on one package. An analyzer of gosec keeps its issues, so each package has its own.
func (s *scanner) analyse(pkg *packages.Package, found *results) {
	defer func() {
		if problem := recover(); problem != nil {
			found.addError(pkg.PkgPath, gosec.NewError(0, 0, fmt.Sprintf("analysis panicked: %v", problem)))
		}
	}()
	config := gosec.NewConfig()
	if s.ignoreNosec {
		config.SetGlobal(gosec.Nosec, "true")
	}
	analyzer := gosec.NewAnalyzer(config, s.tests, false, false, 1, s.logger)
	analyzer.LoadRules(rules.Generate(false, s.ruleFilters()...).RulesInfo())
	analyzer.LoadAnalyzers(analyzers.Generate(false, s.analyzerFilters()...).AnalyzersInfo())
	parseErrors, err := gosec.ParseErrors(pkg)
	if err != nil {
		found.addError(pkg.PkgPath, gosec.NewError(0, 0, err.Error()))
	}
	analyzer.CheckRules(pkg)
	analyzer.CheckAnalyzers(pkg)
	issues, stats, _ := analyzer.Report()
	found.add(pkg, issues, stats, parseErrors)
}

func (r *results) add(pkg *packages.Package, issues []*issue.Issue, stats *gosec.Metrics, parseErrors map[string][]gosec.Error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, found := range issues {
		key := strings.Join([]string{found.File, found.Line, found.Col, found.RuleID, found.What}, "\x00")
		if !r.seen[key] {
			r.seen[key] = true
			r.issues = append(r.issues, found)
		}
	}
	for _, file := range pkg.Syntax {
		position := pkg.Fset.File(file.Pos())
		if position == nil || filepath.Ext(position.Name()) != ".go" || r.files[position.Name()] {
			continue
		}
		r.files[position.Name()] = true
		r.stats.NumFiles++
		r.stats.NumLines += position.LineCount()
	}
	r.stats.NumNosec += stats.NumNosec
	for file, list := range parseErrors {
		r.errors[file] = append(r.errors[file], list...)
	}
}

func (r *results) addError(place string, problem *gosec.Error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.errors[place] = append(r.errors[place], *problem)
}

func (s *scanner) ruleFilters() []rules.RuleFilter {
	var filters []rules.RuleFilter
	if len(s.include) > 0 {
		filters = append(filters, rules.NewRuleFilter(false, s.include...))
	}
	if len(s.exclude) > 0 {
		filters = append(filters, rules.NewRuleFilter(true, s.exclude...))
	}
	return filters
}

func (s *scanner) analyzerFilters() []analyzers.AnalyzerFilter {
	var filters []analyzers.AnalyzerFilter
	if len(s.include) > 0 {
		filters = append(filters, analyzers.NewAnalyzerFilter(false, s.include...))
	}
	if len(s.exclude) > 0 {
		filters = append(filters, analyzers.NewAnalyzerFilter(true, s.exclude...))
	}
	return filters
}
