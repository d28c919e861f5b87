// Command gitleaks searches the files under a folder for secrets, with gitleaks' rules, detector and JSON report.
//
// It is built on gitleaks' packages and takes those of its options that the review uses. Three things differ from the
// command of gitleaks: expressions are searched by the engine in regexp/, files are read one after the other where
// there are few, and neither the folder nor the environment can bring a configuration or a list of what to leave out.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"
	"github.com/zricethezav/gitleaks/v8/sources"
	"github.com/zricethezav/gitleaks/v8/version"
)

const (
	exitFailure = 1
	exitUsage   = 126

	maxDecodeDepth = 5
)

func main() {
	// Most runs need less memory than the first collection would wait for; large ones are collected as usual.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(512 << 20)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

type options struct {
	folder, config string
	redact         uint
	allow          bool
	exitCode       int
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == "version" {
		fmt.Fprintln(stdout, version.Version)
		return 0
	}
	options, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "gitleaks: %v\n", err)
		return exitUsage
	}
	logging.Logger = zerolog.New(zerolog.ConsoleWriter{Out: stderr, NoColor: true}).Level(zerolog.InfoLevel).With().Timestamp().Logger()
	findings, bytes, err := scan(context.Background(), options)
	if err != nil {
		fmt.Fprintf(stderr, "gitleaks: %v\n", err)
		return exitFailure
	}
	if err := (&report.JsonReporter{}).Write(keepOpen{stdout}, findings); err != nil {
		fmt.Fprintf(stderr, "gitleaks: writing the report: %v\n", err)
		return exitFailure
	}
	// What the detector was given, not what the folder holds.
	fmt.Fprintf(stderr, "scanned ~%d bytes, leaks found: %d\n", bytes, len(findings))
	if len(findings) > 0 {
		return options.exitCode
	}
	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	if len(args) < 2 || args[0] != "dir" || strings.HasPrefix(args[1], "-") {
		return o, fmt.Errorf("usage: gitleaks dir FOLDER -c CONFIG [options], or gitleaks version")
	}
	o.folder = args[1]
	flags := flag.NewFlagSet("gitleaks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.config, "c", "", "file with the rules")
	flags.UintVar(&o.redact, "redact", 0, "how many percent of each secret the report leaves out")
	flags.BoolVar(&o.allow, "ignore-gitleaks-allow", false, "report secrets beside a comment gitleaks:allow too")
	flags.IntVar(&o.exitCode, "exit-code", 1, "exit status when something was found")
	// What gitleaks' own command needs to be told is always so here.
	flags.Bool("no-banner", true, "always so")
	flags.Bool("no-color", true, "always so")
	flags.String("i", "", "no list of findings to leave out is read")
	for name, only := range map[string]string{"l": "info", "f": "json", "r": "-"} {
		flags.Func(name, "always "+only, func(value string) error {
			if value != only {
				return fmt.Errorf("only %s is possible", only)
			}
			return nil
		})
	}
	if err := flags.Parse(args[2:]); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.config == "" {
		return o, fmt.Errorf("one folder and one -c CONFIG are needed")
	}
	return o, nil
}

func scan(ctx context.Context, options options) (findings []report.Finding, bytes uint64, err error) {
	config, err := readConfig(options.config)
	if err != nil {
		return nil, 0, err
	}
	detector := detect.NewDetectorContext(ctx, config)
	detector.MaxDecodeDepth = maxDecodeDepth
	detector.IgnoreGitleaksAllow = options.allow
	source := folder{path: options.folder, config: &config}
	err = source.Fragments(ctx, func(fragment sources.Fragment, err error) error {
		if err != nil {
			logging.Error().Err(err).Str("path", fragment.FilePath).Send()
			return nil
		}
		for _, finding := range detector.DetectContext(ctx, detect.Fragment(fragment)) {
			// No report has the line. The detector would copy it for each secret in it, also one of 100 KB with thousands.
			finding.Line = ""
			if options.redact > 0 {
				finding.Redact(options.redact)
			}
			detector.AddFinding(finding)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	findings = detector.Findings()
	// The order of the rules and of the files is not told by the detector.
	slices.SortStableFunc(findings, compare)
	return findings, detector.TotalBytes.Load(), nil
}

func compare(a, b report.Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.StartLine, b.StartLine),
		cmp.Compare(a.StartColumn, b.StartColumn),
		cmp.Compare(a.RuleID, b.RuleID),
		cmp.Compare(a.EndLine, b.EndLine),
		cmp.Compare(a.EndColumn, b.EndColumn),
	)
}

// keepOpen lets the report be written to what is not ours to close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
