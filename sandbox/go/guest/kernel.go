package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// sayKernel writes the line by which the host knows that gVisor is what runs this, and which version this is. The host sends
// nothing before.
func sayKernel(to io.Writer, nonce string) {
	told, _ := os.ReadFile("/proc/version")
	answer := "no"
	if exists("/proc/gvisor") && exists("/proc/sentry-meminfo") {
		answer = "yes"
	}
	kernel, _, _ := strings.Cut(string(told), "\n")
	fmt.Fprintf(to, "cypherfix-probe %s %s %s %s\n", nonce, answer, version, kernel)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
