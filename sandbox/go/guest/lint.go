package main

import (
	"encoding/json"
	"os"
	"slices"
	"time"
)

const (
	node         = "/usr/bin/node"
	lintProgram  = "/opt/eslint/lint.mjs"
	lintSnapshot = "/opt/eslint/eslint.blob"
	// Longer than any start takes; the step is then started plainly.
	readyLimit = 10 * time.Second
)

// ESLint needs much of its time to start. In gVisor memory that is touched for the first time and V8's helper threads are
// dear: the young generation stays small, no full collection comes early, and a function must be called more often than V8
// has it before it is optimized, as most reviews end sooner. On a processor other than the one that the snapshot was made
// on node refuses it; the step then runs without.
var lintWords = []string{
	node,
	"--single-threaded",
	"--initial-heap-size=256",
	"--max-semi-space-size=2",
	"--invocation-count-for-maglev=4000",
	"--invocation-count-for-maglev-osr=1000",
	"--invocation-count-for-turbofan=20000",
	"--invocation-count-for-osr=5000",
	"--snapshot-blob",
	lintSnapshot,
	"wait",
}

// waitingLint is ESLint, started before there is anything to do for it: the container waits for its snapshot meanwhile.
// A nil one is of an image without it.
type waitingLint struct {
	running *process
	input   *os.File
	// Whether it has said that it is ready; false when it ended instead or took too long.
	ready chan bool
	// The step that it has been told.
	told *step
}

func startLint(work string) *waitingLint {
	if !exists(lintSnapshot) {
		return nil
	}
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil
	}
	signRead, signWrite, err := os.Pipe()
	if err != nil {
		closeAll(inRead, inWrite)
		return nil
	}
	running, err := startProcess(lintWords, work, toEnvironment(nil), inRead, signWrite)
	closeAll(inRead, signWrite)
	if err != nil {
		closeAll(inWrite, signRead)
		return nil
	}
	w := &waitingLint{running: running, input: inWrite, ready: make(chan bool, 1)}
	go func() {
		defer signRead.Close()
		_ = signRead.SetReadDeadline(time.Now().Add(readyLimit))
		count, _ := signRead.Read(make([]byte, 1))
		w.ready <- count == 1
	}()
	return w
}

// begin tells it the step that is for it, ready or not, and ends it when none is.
func (w *waitingLint) begin(steps []step) {
	if w == nil {
		return
	}
	defer w.input.Close()
	found := slices.IndexFunc(steps, isLint)
	if found < 0 {
		w.running.end()
		return
	}
	w.told = &steps[found]
	text, _ := json.Marshal(map[string]any{"cwd": w.told.Cwd, "argv": w.told.Argv[2:]})
	// One that has ended takes nothing, and then it is not ready either.
	_, _ = w.input.Write(text)
}

// take gives the process that was told this step, if there is one.
func (w *waitingLint) take(s *step) *process {
	if w == nil || w.told != s {
		return nil
	}
	if !<-w.ready {
		w.running.end()
		return nil
	}
	return w.running
}

// isLint tells whether a step starts the program plainly; with variables of its own it gets a process of its own.
func isLint(s step) bool {
	return len(s.Argv) >= 2 && s.Argv[0] == node && s.Argv[1] == lintProgram && len(s.Env) == 0
}
