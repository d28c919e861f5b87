package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/sources"
)

// folder yields what the files under a path hold, as gitleaks' own source does.
type folder struct {
	path   string
	config *config.Config
}

const (
	// gitleaks reads so much of a file at once.
	bufferSize = 100_000
	// So many files are read before others help.
	fewFiles = 64
)

// Fragments fails when the path cannot be read; a file or folder below it that cannot be read is told in the log.
func (f *folder) Fragments(ctx context.Context, yield sources.FragmentsFunc) error {
	if _, err := os.Stat(f.path); err != nil {
		return err
	}
	paths := make(chan string)
	failed := make(chan error, 1)
	fail := func(err error) {
		select {
		case failed <- err:
		default:
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var readers sync.WaitGroup
	read := func() {
		buffer := make([]byte, bufferSize)
		for path := range paths {
			if err := f.readFile(ctx, path, buffer, yield); err != nil {
				fail(err)
				cancel()
			}
		}
	}
	buffer, count := make([]byte, bufferSize), 0
	err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			logging.Warn().Err(err).Str("path", path).Msg("skipping")
			return nil
		}
		if f.isAllowed(path) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		count++
		if count <= fewFiles {
			return f.readFile(ctx, path, buffer, yield)
		}
		if count == fewFiles+1 {
			for range runtime.GOMAXPROCS(0) {
				readers.Go(read)
			}
		}
		select {
		case paths <- path:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	close(paths)
	readers.Wait()
	select {
	case first := <-failed:
		return first
	default:
		return err
	}
}

func (f *folder) readFile(ctx context.Context, path string, buffer []byte, yield sources.FragmentsFunc) error {
	content, err := os.Open(path)
	if err != nil {
		logging.Warn().Err(err).Msg("skipping file")
		return nil
	}
	defer content.Close()
	file := sources.File{Content: content, Path: path, Buffer: buffer, Config: f.config}
	if err := file.Fragments(ctx, yield); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (f *folder) isAllowed(path string) bool {
	for _, list := range f.config.Allowlists {
		if list.PathAllowed(path) {
			return true
		}
	}
	return false
}
