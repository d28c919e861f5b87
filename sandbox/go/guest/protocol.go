package main

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
)

// What stands in the job file, the last member of the snapshot.
type job struct {
	// Only the job file holds it, so an end record that carries it was written by this program.
	Nonce          string   `json:"nonce"`
	MaxOutputBytes int64    `json:"maxOutputBytes"`
	Phases         [][]step `json:"phases"`
}

type step struct {
	Argv           []string          `json:"argv"`
	Cwd            string            `json:"cwd"`
	Env            map[string]string `json:"env"`
	TimeoutMs      float64           `json:"timeoutMs"`
	MaxStdoutBytes int64             `json:"maxStdoutBytes"`
	MaxStderrBytes int64             `json:"maxStderrBytes"`
}

// outcome of a step. Exactly one of ExitCode, Signal and SpawnError is set.
type outcome struct {
	// Index of the step, counted through all phases.
	Step      int     `json:"step"`
	ExitCode  *int    `json:"exitCode"`
	Signal    *string `json:"signal"`
	TimedOut  bool    `json:"timedOut"`
	Truncated bool    `json:"truncated"`
	// At most maxReasonChars.
	SpawnError  *string `json:"spawnError"`
	DurationMs  int64   `json:"durationMs"`
	StdoutBytes int64   `json:"stdoutBytes"`
	StderrBytes int64   `json:"stderrBytes"`

	stdout, stderr [][]byte
}

// The host reads headers of up to 4096 bytes, and JSON may need six for a character.
const maxReasonChars = 300

type end struct {
	End string `json:"end"`
}

// writeRecord writes the length of the header (32 bits, big-endian), the header, and the bodies that it announces, each in pieces.
func writeRecord(to io.Writer, header any, bodies ...[][]byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	record := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	record = append(record, text...)
	if _, err := to.Write(record); err != nil {
		return err
	}
	for _, piece := range slices.Concat(bodies...) {
		if _, err := to.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
