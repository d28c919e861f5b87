package main

import (
	"errors"
	"sync"
	"syscall"
)

// children starts processes and hears of their ends. As process 1 it also collects those that others left behind, which
// would otherwise count against the container's limit of processes.
type children struct {
	mutex  sync.Mutex
	ends   map[int]chan syscall.WaitStatus
	active bool
}

var family = &children{ends: map[int]chan syscall.WaitStatus{}}

// start gives the process and a channel that says once how it ended.
func (c *children) start(path string, argv []string, attributes *syscall.ProcAttr) (int, <-chan syscall.WaitStatus, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// Held over the start, so that no end is heard of before somebody waits for it.
	pid, err := syscall.ForkExec(path, argv, attributes)
	if err != nil {
		return 0, nil, err
	}
	ended := make(chan syscall.WaitStatus, 1)
	c.ends[pid] = ended
	if !c.active {
		c.active = true
		go c.collect()
	}
	return pid, ended, nil
}

// collect waits for children as long as there are any.
func (c *children) collect() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil && !status.Exited() && !status.Signaled() {
			continue // It asked to be traced and has only stopped.
		}
		c.mutex.Lock()
		if err != nil {
			// One that was started since then is still to be waited for.
			if len(c.ends) == 0 {
				c.active = false
				c.mutex.Unlock()
				return
			}
			c.mutex.Unlock()
			continue
		}
		if ended, known := c.ends[pid]; known {
			delete(c.ends, pid)
			ended <- status
		}
		c.mutex.Unlock()
	}
}
