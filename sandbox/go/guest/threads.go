package main

import (
	"runtime"
	"sync"
)

// More than are blocked at a time by the writes, starts and waits of a job's steps.
const reservedThreads = 16

// reserveThreads makes the runtime's threads while they can be had. It keeps those that it has, and it ends the program
// when it needs one more and a step has used up the limit of processes.
func reserveThreads() {
	var meeting, end sync.WaitGroup
	meeting.Add(reservedThreads)
	for range reservedThreads {
		end.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			meeting.Done()
			meeting.Wait()
		})
	}
	end.Wait()
}
