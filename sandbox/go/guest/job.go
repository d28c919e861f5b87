package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const jobFile = "job/job.json"

// runJob takes the snapshot, runs the job's phases one after another and the steps of each at once, and ends with the
// record that carries the nonce.
func runJob(work string, from io.Reader, to io.Writer) error {
	waiting := startLint(work)
	if err := receiveSnapshot(work, from); err != nil {
		return err
	}
	job, err := takeJob(filepath.Join(work, jobFile))
	if err != nil {
		return err
	}
	if len(job.Phases) > 0 {
		waiting.begin(job.Phases[0])
	}
	for _, folder := range []string{".home", ".tmp"} {
		if err := os.MkdirAll(filepath.Join(work, folder), 0o755); err != nil {
			return err
		}
	}
	output := &records{to: to}
	budget := newBudget(job.MaxOutputBytes)
	first := 0
	for _, phase := range job.Phases {
		var steps sync.WaitGroup
		for index := range phase {
			steps.Go(func() {
				result := runStep(&phase[index], budget, waiting)
				result.Step = first + index
				output.write(result)
			})
		}
		steps.Wait()
		if output.err != nil {
			return output.err
		}
		if err := endOtherProcesses(); err != nil {
			return err
		}
		first += len(phase)
	}
	return writeRecord(to, end{End: job.Nonce})
}

// takeJob reads the job file and removes it: no step may learn the nonce. As the last member of the tar it proves that all
// of the tar arrived.
func takeJob(path string) (job, error) {
	var found job
	text, err := os.ReadFile(path)
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return found, fmt.Errorf("the job file: %w", err)
	}
	return found, os.Remove(path)
}

// records writes one record after another, whichever step ends first.
type records struct {
	mutex sync.Mutex
	to    io.Writer
	err   error
}

func (r *records) write(result outcome) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.err == nil {
		r.err = writeRecord(r.to, result, result.stdout, result.stderr)
	}
}
