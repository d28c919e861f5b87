package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	endingDeadline = 5 * time.Second
	endingPause    = 5 * time.Millisecond
)

// endOtherProcesses kills every process of the container but this one, daemons in sessions of their own included, and
// returns when none is left alive. It fails when some outlive the deadline, as a fork bomb may: the job then has no end
// record.
func endOtherProcesses() error {
	// Anywhere else this would end the user's whole session.
	if os.Getpid() != 1 {
		return errors.New("only process 1 of a container may end all others")
	}
	for deadline := time.Now().Add(endingDeadline); ; time.Sleep(endingPause) {
		alive, err := countOtherProcesses()
		if err != nil || alive == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes could not be ended", alive)
		}
		// Process 1 and the caller are not among the receivers of a signal to -1.
		if err := syscall.Kill(-1, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
}

func countOtherProcesses() (int, error) {
	folder, err := os.Open("/proc")
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return 0, err
	}
	alive := 0
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() && isAlive(name) {
			alive++
		}
	}
	return alive, nil
}

func isAlive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false // It ended between the listing and the read.
	}
	// The name stands in parentheses and may hold any character; the state follows, and the number of threads 17 fields on.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 18 {
		return true
	}
	hasEnded := bytes.ContainsAny(fields[0], "ZX")
	// Where only the first thread has ended, the others run on.
	threads, err := strconv.Atoi(string(fields[17]))
	return !hasEnded || err != nil || threads > 1
}
