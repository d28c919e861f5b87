// Guest is the program of every image that CypherFix runs jobs in. `guest run NONCE` is process 1 of a container: it says
// what kernel it runs under, takes the snapshot and the job from standard input, runs the job's steps, and writes what they
// gave as records (src/sandbox/protocol.ts is the other side). `guest dockerfile RULES FOLDER…` is a step of such a job.
//
// It is a small static program because in gVisor a start is dear: that of Node costs more than some scanners do.
package main

import (
	"fmt"
	"os"

	"cypherfix/sandbox/go/guest/dockerfile"

	"golang.org/x/sys/unix"
)

// version is a digest of the sources (sandbox/guest-version), set by whoever builds the program.
var version = "unknown"

const (
	exitUsage   = 64
	exitFailure = 70
)

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	var err error
	switch arguments := os.Args[2:]; {
	case os.Args[1] == "run" && len(arguments) == 1:
		err = runAsFirst(arguments[0])
	case os.Args[1] == "dockerfile" && len(arguments) >= 1:
		err = dockerfile.Run(os.Stdout, arguments[0], arguments[1:])
	case os.Args[1] == "version" && len(arguments) == 0:
		fmt.Println(version)
	default:
		usage()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "guest %s: %v\n", os.Args[1], err)
		os.Exit(exitFailure)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: guest run NONCE | guest dockerfile RULES FOLDER... | guest version")
	os.Exit(exitUsage)
}

// runAsFirst does nothing but speak until it knows that it is alone in a container of its own.
func runAsFirst(nonce string) error {
	if os.Getpid() != 1 {
		return fmt.Errorf("this is the first process of a sandbox's container and runs nowhere else")
	}
	// No step may open what this process holds by way of /proc: with its output another step's record could be written.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("closing /proc/1: %w", err)
	}
	sayKernel(os.Stderr, nonce)
	return runJob("/work", os.Stdin, os.Stdout)
}
