package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func shell(t *testing.T, script string) *step {
	t.Helper()
	return &step{
		Argv: []string{"/bin/sh", "-c", script}, Cwd: t.TempDir(),
		TimeoutMs: 10_000, MaxStdoutBytes: 1000, MaxStderrBytes: 1000,
	}
}

// text is what a step wrote to one of its outputs.
func text(pieces [][]byte) string { return string(bytes.Join(pieces, nil)) }

func run(s *step) outcome { return runStep(s, newBudget(10_000), nil) }

func expectExit(t *testing.T, result outcome, code int) {
	t.Helper()
	if result.ExitCode == nil || *result.ExitCode != code || result.Signal != nil || result.SpawnError != nil || result.TimedOut {
		t.Errorf("another end than %d: %+v", code, result)
	}
}

func expectKilled(t *testing.T, result outcome) {
	t.Helper()
	if result.Signal == nil || *result.Signal != "SIGKILL" || result.ExitCode != nil {
		t.Errorf("another end than by SIGKILL: %+v", result)
	}
}

func TestAStepGivesExitCodeAndBothOutputs(t *testing.T) {
	result := run(shell(t, "echo out; echo err >&2; exit 7"))
	expectExit(t, result, 7)
	if text(result.stdout) != "out\n" || text(result.stderr) != "err\n" || result.StdoutBytes != 4 || result.Truncated {
		t.Errorf("%+v", result)
	}
}

func TestAStepHasTheFixedEnvironmentItsOwnVariablesAndNothingElse(t *testing.T) {
	t.Setenv("OF_THE_CONTAINER", "1")
	s := shell(t, `env | grep -vE "^(PWD|SHLVL|_|OLDPWD)=" | sort`)
	s.Env = map[string]string{"GOFLAGS": "-mod=mod", "LANG": "C"}
	want := "GOFLAGS=-mod=mod\nHOME=/work/.home\nLANG=C\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nTMPDIR=/work/.tmp\n"
	if got := text(run(s).stdout); got != want {
		t.Errorf("%q", got)
	}
}

func TestAStepHasNoInput(t *testing.T) {
	if got := text(run(shell(t, "cat; echo end")).stdout); got != "end\n" {
		t.Errorf("%q", got)
	}
}

func TestAStepIsKilledWithItsChildrenAtTheLimit(t *testing.T) {
	s := shell(t, `(trap "" TERM; sleep 30) & echo $!; wait`)
	s.TimeoutMs = 300
	result := run(s)
	expectKilled(t, result)
	if !result.TimedOut || result.DurationMs < 300 || result.DurationMs > 5000 {
		t.Errorf("%+v", result)
	}
	child := strings.TrimSpace(text(result.stdout))
	for deadline := time.Now().Add(2 * time.Second); isAlive(child); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %s is still there", child)
		}
	}
}

func TestAStepDoesNotWaitForADaemonThatKeepsItsOutputOpen(t *testing.T) {
	result := run(shell(t, "setsid sleep 3 & echo said; exit 0"))
	expectExit(t, result, 0)
	if text(result.stdout) != "said\n" || result.Truncated || result.DurationMs > 2500 {
		t.Errorf("%+v", result)
	}
}

func TestTheLimitMayBePartOfAMillisecond(t *testing.T) {
	s := shell(t, "sleep 30")
	s.TimeoutMs = 100.5
	if result := run(s); !result.TimedOut {
		t.Errorf("%+v", result)
	}
}

func TestAStepThatAsksToBeTracedHasNotEnded(t *testing.T) {
	s := shell(t, "")
	s.Argv = []string{"/usr/bin/python3", "-c", "import ctypes, os\nctypes.CDLL(None).ptrace(0, 0, 0, 0)\nos.kill(os.getpid(), 10)\n"}
	s.TimeoutMs = 500
	result := run(s)
	expectKilled(t, result)
	if !result.TimedOut {
		t.Errorf("%+v", result)
	}
}

func TestASignalWithoutANameHasItsNumber(t *testing.T) {
	if result := run(shell(t, "kill -40 $$")); result.Signal == nil || *result.Signal != "SIG40" {
		t.Errorf("%+v", result)
	}
}

func TestAStepThatCannotBeStartedSaysWhy(t *testing.T) {
	absent, nowhere, empty, long := shell(t, ""), shell(t, "true"), shell(t, ""), shell(t, "")
	absent.Argv = []string{"/nonexistent/tool"}
	nowhere.Cwd = "/nonexistent"
	empty.Argv = nil
	long.Argv = []string{"/" + strings.Repeat("ü", 400)}
	for want, s := range map[string]*step{
		"/nonexistent/tool: no such file or directory":      absent,
		"the working directory /nonexistent does not exist": nowhere,
		"the step names no program":                         empty,
		"/" + strings.Repeat("ü", maxReasonChars-1):         long,
	} {
		result := run(s)
		if result.SpawnError == nil || *result.SpawnError != want || result.ExitCode != nil || result.Signal != nil {
			t.Errorf("%q: %+v", want, result)
		}
	}
}

func TestOutputIsKeptToTheByteUpToTheCap(t *testing.T) {
	s := shell(t, "head -c 2000000 /dev/zero; echo last >&2")
	s.MaxStdoutBytes = 1234
	result := run(s)
	expectExit(t, result, 0)
	if result.StdoutBytes != 1234 || !result.Truncated || text(result.stderr) != "last\n" {
		t.Errorf("%+v", result)
	}
	if whole := run(shell(t, "head -c 1000 /dev/zero")); whole.Truncated || whole.StdoutBytes != 1000 {
		t.Errorf("%+v", whole)
	}
}

func TestOutputInManySmallPiecesIsWhole(t *testing.T) {
	s := shell(t, `i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; head -c 200000 /dev/zero | tr '\0' x`)
	s.MaxStdoutBytes = 1 << 20
	result := runStep(s, newBudget(1<<20), nil)
	var want strings.Builder
	for index := range 2000 {
		fmt.Fprintf(&want, "line %d\n", index)
	}
	want.WriteString(strings.Repeat("x", 200_000))
	if got := text(result.stdout); got != want.String() || result.StdoutBytes != int64(want.Len()) || len(result.stdout) > want.Len()/pieceBytes+1 {
		t.Errorf("%d bytes in %d pieces, not %d", len(got), len(result.stdout), want.Len())
	}
}

func TestOutputTakesFromWhatTheJobMayPutOut(t *testing.T) {
	left := newBudget(500)
	var steps sync.WaitGroup
	results := make([]outcome, 2)
	for index := range results {
		s := shell(t, "head -c 400 /dev/zero")
		steps.Go(func() { results[index] = runStep(s, left, nil) })
	}
	steps.Wait()
	if sum := results[0].StdoutBytes + results[1].StdoutBytes; sum != 500 || left.left.Load() != 0 {
		t.Errorf("%d bytes, %d left", sum, left.left.Load())
	}
	if results[0].Truncated == results[1].Truncated {
		t.Errorf("%+v", results)
	}
}

func TestOutputWithoutEndEndsTheStep(t *testing.T) {
	result := run(shell(t, "cat /dev/zero"))
	expectKilled(t, result)
	if !result.Truncated || result.TimedOut {
		t.Errorf("%+v", result)
	}
}

func TestProcessesThatOthersLeftAreCollected(t *testing.T) {
	// Orphans come to this process, as they do to process 1.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	expectExit(t, run(shell(t, `for i in 1 2 3; do (setsid sleep 0.05 &) ; done; exit 0`)), 0)
	for deadline := time.Now().Add(3 * time.Second); countChildren(t) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a child is left")
		}
	}
	expectExit(t, run(shell(t, "exit 3")), 3)
}

func countChildren(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, task := range tasks {
		text, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		count += len(bytes.Fields(text))
	}
	return count
}

func TestOnlyProcess1EndsAllOthers(t *testing.T) {
	if err := endOtherProcesses(); err == nil {
		t.Fatal("it would end this user's session")
	}
}
