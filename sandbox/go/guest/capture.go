package main

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// A step that writes this much beyond its cap is ended: draining a flood would take the time of the other steps.
const maxDroppedBytes = 64 << 20

// budget is what the job as a whole may still put out, in bytes.
type budget struct{ left atomic.Int64 }

func newBudget(bytes int64) *budget {
	b := &budget{}
	b.left.Store(bytes)
	return b
}

// take gives as much of the bytes wanted as there is left.
func (b *budget) take(wanted int64) int64 {
	for {
		left := b.left.Load()
		given := min(wanted, left)
		if b.left.CompareAndSwap(left, left-given) {
			return given
		}
	}
}

// captured is kept in pieces: a slice that grows would need three times as much memory as there is output.
type captured struct {
	pieces    [][]byte
	size      int64
	truncated bool
}

const pieceBytes = 64 << 10

func (c *captured) add(bytes []byte) {
	c.size += int64(len(bytes))
	for len(bytes) > 0 {
		last := len(c.pieces) - 1
		if last < 0 || len(c.pieces[last]) == pieceBytes {
			c.pieces = append(c.pieces, make([]byte, 0, pieceBytes))
			last++
		}
		count := min(len(bytes), pieceBytes-len(c.pieces[last]))
		c.pieces[last] = append(c.pieces[last], bytes[:count]...)
		bytes = bytes[count:]
	}
}

// capture reads a pipe to its end and keeps what the cap and the budget allow; what is over is read and dropped, so that a
// chatty program still comes to its end.
func capture(from *os.File, maxBytes int64, budget *budget, onFlood func()) <-chan captured {
	done := make(chan captured, 1)
	go func() {
		defer from.Close()
		var kept captured
		var dropped int64
		read := make([]byte, pieceBytes)
		for {
			count, err := from.Read(read)
			fits := budget.take(min(int64(count), maxBytes-kept.size))
			kept.add(read[:fits])
			if fits < int64(count) {
				kept.truncated = true
				dropped += int64(count) - fits
				if dropped > maxDroppedBytes {
					onFlood()
				}
			}
			if err == nil {
				continue
			}
			// At the deadline somebody else holds the pipe open, and what it would still say is not the step's.
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
				kept.truncated = true
			}
			done <- kept
			return
		}
	}()
	return done
}
