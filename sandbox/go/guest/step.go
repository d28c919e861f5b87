package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long a pipe that a daemon keeps open is read on after the step itself has ended.
const pipeGrace = 500 * time.Millisecond

// toEnvironment gives the environment of a step; nothing of the container's own is handed on.
func toEnvironment(own map[string]string) []string {
	all := map[string]string{
		"PATH":   "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME":   "/work/.home",
		"LANG":   "C.UTF-8",
		"TMPDIR": "/work/.tmp",
	}
	maps.Copy(all, own)
	environment := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		environment = append(environment, name+"="+all[name])
	}
	return environment
}

// process is a step's program, in a session and process group of its own.
type process struct {
	pid            int
	ended          <-chan syscall.WaitStatus
	stdout, stderr *os.File
}

// runStep runs one step in a process of its own, or in the one that waits for it.
func runStep(s *step, budget *budget, waiting *waitingLint) outcome {
	started := time.Now()
	running := waiting.take(s)
	if running == nil {
		var err error
		if running, err = start(s); err != nil {
			return notStarted(s, err, started)
		}
	}
	stdout := capture(running.stdout, s.MaxStdoutBytes, budget, running.kill)
	stderr := capture(running.stderr, s.MaxStderrBytes, budget, running.kill)

	var timedOut atomic.Bool
	timer := time.AfterFunc(time.Duration(s.TimeoutMs*float64(time.Millisecond)), func() {
		timedOut.Store(true)
		running.kill()
	})
	status := <-running.ended
	timer.Stop()
	running.kill()
	deadline := time.Now().Add(pipeGrace)
	_ = running.stdout.SetReadDeadline(deadline)
	_ = running.stderr.SetReadDeadline(deadline)
	out, err := <-stdout, <-stderr

	result := outcome{
		// One that came to its end in that moment has not been stopped.
		TimedOut:    timedOut.Load() && status.Signaled(),
		Truncated:   out.truncated || err.truncated,
		DurationMs:  time.Since(started).Milliseconds(),
		StdoutBytes: out.size,
		StderrBytes: err.size,
		stdout:      out.pieces,
		stderr:      err.pieces,
	}
	if status.Signaled() {
		// The real-time signals have no names there.
		name := cmp.Or(unix.SignalName(status.Signal()), fmt.Sprintf("SIG%d", status.Signal()))
		result.Signal = &name
	} else {
		code := status.ExitStatus()
		result.ExitCode = &code
	}
	return result
}

func start(s *step) (*process, error) {
	if len(s.Argv) == 0 {
		return nil, errors.New("the step names no program")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return startProcess(s.Argv, s.Cwd, toEnvironment(s.Env), null)
}

// startProcess starts a program, with `others` as descriptors from 3 on. The files given stay the caller's.
func startProcess(argv []string, cwd string, environment []string, input *os.File, others ...*os.File) (*process, error) {
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outWrite.Close()
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		outRead.Close()
		return nil, err
	}
	defer errWrite.Close()
	files := []uintptr{input.Fd(), outWrite.Fd(), errWrite.Fd()}
	for _, other := range others {
		files = append(files, other.Fd())
	}
	pid, ended, err := family.start(argv[0], argv, &syscall.ProcAttr{
		Dir:   cwd,
		Env:   environment,
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		closeAll(outRead, errRead)
		return nil, fmt.Errorf("%s: %w", argv[0], err)
	}
	leaveRoom(pid)
	return &process{pid: pid, ended: ended, stdout: outRead, stderr: errRead}, nil
}

// How many processes fewer than this program each of its steps may start, itself and all others counted.
const room = 32

// leaveRoom lets a process use up what it may start and not what this program may: the runtime ends it when it wants one
// more thread and cannot have it. (To have enough threads ready from the start takes 25 ms of CPU in gVisor.)
func leaveRoom(pid int) {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_NPROC, nil, &limit) != nil || limit.Max <= room || limit.Max == unix.RLIM_INFINITY {
		return
	}
	limit.Max -= room
	limit.Cur = min(limit.Cur, limit.Max)
	// One that has ended already needs no limit.
	_ = unix.Prlimit(pid, unix.RLIMIT_NPROC, &limit, nil)
}

func closeAll(files ...*os.File) {
	for _, file := range files {
		file.Close()
	}
}

// kill ends the whole process group; those that have ended already are no failure.
func (p *process) kill() { _ = syscall.Kill(-p.pid, syscall.SIGKILL) }

// end is for one whose output nobody wants.
func (p *process) end() {
	p.kill()
	closeAll(p.stdout, p.stderr)
}

func notStarted(s *step, err error, started time.Time) outcome {
	reason := err.Error()
	if !exists(s.Cwd) {
		reason = fmt.Sprintf("the working directory %s does not exist", s.Cwd)
	}
	if chars := []rune(reason); len(chars) > maxReasonChars {
		reason = string(chars[:maxReasonChars])
	}
	return outcome{SpawnError: &reason, DurationMs: time.Since(started).Milliseconds()}
}
