package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
)

func TestARecordIsALengthAHeaderAndBodies(t *testing.T) {
	code := 3
	var written bytes.Buffer
	result := outcome{Step: 2, ExitCode: &code, DurationMs: 5, StdoutBytes: 3, StderrBytes: 2}
	if err := writeRecord(&written, result, [][]byte{[]byte("o"), []byte("ut")}, [][]byte{[]byte("er")}); err != nil {
		t.Fatal(err)
	}
	length := binary.BigEndian.Uint32(written.Next(4))
	want := `{"step":2,"exitCode":3,"signal":null,"timedOut":false,"truncated":false,"spawnError":null,"durationMs":5,"stdoutBytes":3,"stderrBytes":2}`
	if got := string(written.Next(int(length))); got != want {
		t.Errorf("%s", got)
	}
	if written.String() != "outer" {
		t.Errorf("%q", written.String())
	}
}

// The host reads no header that is longer (src/sandbox/protocol.ts).
const maxHeaderBytes = 4096

func TestTheLongestHeaderIsOneThatTheHostReads(t *testing.T) {
	for _, char := range []string{"\x01", "<", "😀", "\xff"} {
		s := shell(t, "")
		s.Argv = []string{"/" + strings.Repeat(char, 1000)}
		text, err := json.Marshal(run(s))
		if err != nil || len(text) > maxHeaderBytes {
			t.Errorf("%q: %d bytes, %v", char, len(text), err)
		}
	}
}
