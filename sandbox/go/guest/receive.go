package main

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const bufferBytes = 1 << 20

// receiveSnapshot writes the files of a tar below folder, and reads its source to the end. It fails when the tar is cut
// off or holds anything but files. A tar program would cost a start, and needs several times as long to read a pipe here.
func receiveSnapshot(folder string, from io.Reader) error {
	source := &ending{reader: bufio.NewReaderSize(from, bufferBytes)}
	archive := tar.NewReader(source)
	made := map[string]bool{}
	piece := make([]byte, bufferBytes/4)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) && !source.ended {
			break
		}
		if err != nil {
			return toReceiveError(err)
		}
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("the snapshot holds an entry of type %q", header.Typeflag)
		}
		if !filepath.IsLocal(header.Name) {
			return fmt.Errorf("the snapshot holds an entry with the name %q", header.Name)
		}
		path := filepath.Join(folder, header.Name)
		if parent := filepath.Dir(path); !made[parent] {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return err
			}
			made[parent] = true
		}
		if err := writeFile(path, os.FileMode(header.Mode&0o777), archive, piece); err != nil {
			return toReceiveError(err)
		}
	}
	for {
		if _, err := source.Read(piece); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func writeFile(path string, mode os.FileMode, content io.Reader, piece []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	for {
		count, read := content.Read(piece)
		if _, err := file.Write(piece[:count]); err != nil {
			return err
		}
		if errors.Is(read, io.EOF) {
			return nil
		}
		if read != nil {
			return read
		}
	}
}

// ending knows whether its source has ended: a tar that simply stops looks like a whole one to the library.
type ending struct {
	reader io.Reader
	ended  bool
}

func (e *ending) Read(into []byte) (int, error) {
	count, err := e.reader.Read(into)
	e.ended = e.ended || errors.Is(err, io.EOF)
	return count, err
}

func toReceiveError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the snapshot is cut off")
	}
	return err
}
