// Command gosec runs gosec's rules and analyzers over directories and prints gosec's JSON report.
//
// It is built on gosec's library, since the command line of gosec also links the client libraries of several
// model providers. Three things differ from that command line: all directories of one module are loaded by one
// run of the go command, or with -std without it, and the report names the files that were analysed ("Files").
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/issue"
)

const (
	exitClean   = 0
	exitFound   = 1
	exitUsage   = 2
	exitFailure = 3
)

// report has the fields of gosec's own JSON report, and the analysed files.
type report struct {
	Errors       map[string][]gosec.Error `json:"Golang errors"`
	Issues       []*issue.Issue
	Stats        *gosec.Metrics
	GosecVersion string
	Files        []string
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("gosec", flag.ContinueOnError)
	flags.SetOutput(stderr)
	ignoreNosec := flags.Bool("nosec", false, "report findings under #nosec and gosec:disable too")
	tests := flags.Bool("tests", false, "analyse _test.go files too")
	std := flags.String("std", "", "table of the standard library's export data: load packages without the go command")
	tags := flags.String("tags", "", "comma-separated build tags")
	include := flags.String("include", "", "comma-separated rule ids to run (default all)")
	exclude := flags.String("exclude", "", "comma-separated rule ids to leave out")
	concurrency := flags.Int("concurrency", runtime.GOMAXPROCS(0), "modules and packages analysed at once")
	quiet := flags.Bool("quiet", false, "no log on standard error")
	noFail := flags.Bool("no-fail", false, "exit 0 also when something was found")
	version := flags.Bool("version", false, "print the version and exit")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: gosec [flags] DIR...   (DIR is one package; DIR/... takes the packages below it too)")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if *version {
		fmt.Fprintln(stdout, libraryVersion())
		return exitClean
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitUsage
	}
	if *concurrency < 1 {
		fmt.Fprintf(stderr, "gosec: -concurrency must be at least 1, not %d\n", *concurrency)
		return exitUsage
	}

	logger := log.New(stderr, "[gosec] ", 0)
	if *quiet {
		logger.SetOutput(io.Discard)
	}
	dirs, missing, err := listDirs(flags.Args())
	if err != nil {
		fmt.Fprintf(stderr, "gosec: %v\n", err)
		return exitFailure
	}
	var source *sourceLoader
	if *std != "" {
		// gosec would ask the go command which Go the module is for.
		if _, set := os.LookupEnv("GOSECGOVERSION"); !set {
			os.Setenv("GOSECGOVERSION", runtime.Version())
		}
		if source, err = newSourceLoader(*std, splitList(*tags)); err != nil {
			fmt.Fprintf(stderr, "gosec: %v\n", err)
			return exitFailure
		}
	}
	scan := scanner{
		source:      source,
		ignoreNosec: *ignoreNosec,
		tests:       *tests,
		tags:        splitList(*tags),
		include:     splitList(*include),
		exclude:     splitList(*exclude),
		concurrency: *concurrency,
		logger:      logger,
	}
	result := scan.run(dirs)
	for _, dir := range missing {
		result.addError(dir, gosec.NewError(0, 0, "no such directory"))
	}

	out := report{
		Errors:       result.errors,
		Issues:       result.sortedIssues(),
		Stats:        result.stats,
		GosecVersion: libraryVersion(),
		Files:        result.sortedFiles(),
	}
	out.Stats.NumFound = len(out.Issues)
	encoder := json.NewEncoder(stdout)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(out); err != nil {
		fmt.Fprintf(stderr, "gosec: writing the report: %v\n", err)
		return exitFailure
	}
	if !*noFail && (len(out.Issues) > 0 || len(out.Errors) > 0) {
		return exitFound
	}
	return exitClean
}

// libraryVersion is the version of gosec's module that this program was linked with.
func libraryVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/securego/gosec/v2" {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}

func splitList(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// compareIssues puts the severe first, then orders by place, so that the report does not depend on scheduling.
func compareIssues(a, b *issue.Issue) int {
	return cmp.Or(
		-cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.File, b.File),
		cmp.Compare(firstLine(a.Line), firstLine(b.Line)),
		cmp.Compare(a.RuleID, b.RuleID),
		cmp.Compare(a.Col, b.Col),
	)
}

func firstLine(lines string) int {
	number, err := strconv.Atoi(strings.Split(lines, "-")[0])
	if err != nil {
		return 0
	}
	return number
}

func (r *results) sortedIssues() []*issue.Issue {
	slices.SortStableFunc(r.issues, compareIssues)
	return r.issues
}

func (r *results) sortedFiles() []string {
	files := make([]string, 0, len(r.files))
	for file := range r.files {
		files = append(files, file)
	}
	slices.Sort(files)
	return files
}
