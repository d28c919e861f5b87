package main

import (
	"bytes"
	"regexp"
	"testing"
)

func TestTheKernelIsToldInOneLineWithTheVersion(t *testing.T) {
	version = "0123456789abcdef"
	var said bytes.Buffer
	sayKernel(&said, "n1")
	if !regexp.MustCompile(`^cypherfix-probe n1 no 0123456789abcdef Linux version [^\n]+\n$`).MatchString(said.String()) {
		t.Errorf("%q", said.String())
	}
}
