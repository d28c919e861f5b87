package main

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type member struct {
	name    string
	content []byte
	mode    int64
	kind    byte
}

func pack(t *testing.T, members ...member) []byte {
	t.Helper()
	var into bytes.Buffer
	archive := tar.NewWriter(&into)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Size: int64(len(m.content)), Mode: m.mode, Typeflag: m.kind}
		if m.kind == 0 {
			header.Typeflag = tar.TypeReg
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return into.Bytes()
}

func TestEveryFileArrivesWhateverItsNameAndSize(t *testing.T) {
	x := strings.Repeat
	names := []string{
		"a", "src/b c.txt", "src/trailing ", "ümlaut/日本.py", "new\nline=1\n12 path=x", "..a/b..c",
		"long/" + x("x", 90) + "/" + x("y", 120) + "/" + x("z", 200) + ".py", "split/" + x("p", 80) + "/" + x("q", 60) + ".py",
	}
	sizes := []int{0, 1, 511, 512, 513, 1 << 20, 1<<20 + 3, 77}
	members := make([]member, len(names))
	for index, name := range names {
		members[index] = member{name: name, content: bytes.Repeat([]byte{byte('A' + index)}, sizes[index]), mode: 0o644}
	}
	folder := t.TempDir()
	if err := receiveSnapshot(folder, bytes.NewReader(pack(t, members...))); err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		got, err := os.ReadFile(filepath.Join(folder, m.name))
		if err != nil || !bytes.Equal(got, m.content) {
			t.Errorf("%q: %d bytes, %v", m.name, len(got), err)
		}
	}
}

func TestAProgramCanBeRunOtherFilesCannot(t *testing.T) {
	folder := t.TempDir()
	source := pack(t, member{name: "run", mode: 0o755}, member{name: "read", mode: 0o644})
	if err := receiveSnapshot(folder, bytes.NewReader(source)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"run": 0o111, "read": 0} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.Mode()&0o111 != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestAnythingElseIsRefused(t *testing.T) {
	whole := pack(t, member{name: "a", content: bytes.Repeat([]byte("A"), 700), mode: 0o644})
	cases := map[string]struct {
		source []byte
		want   string
	}{
		"an empty source":           {nil, "cut off"},
		"a cut in the header":       {whole[:400], "cut off"},
		"a cut in the content":      {whole[:600], "cut off"},
		"a cut after the content":   {whole[:1536], "cut off"},
		"a cut in the padding":      {whole[:1300], "cut off"},
		"a symbolic link":           {pack(t, member{name: "link", kind: tar.TypeSymlink}), "of type '2'"},
		"a folder":                  {pack(t, member{name: "folder/", kind: tar.TypeDir}), "of type '5'"},
		"a way out of the folder":   {pack(t, member{name: "a/../../b", mode: 0o644}), `the name "a/../../b"`},
		"an absolute name":          {pack(t, member{name: "/b", mode: 0o644}), `the name "/b"`},
		"bytes that are no archive": {bytes.Repeat([]byte("x"), 1024), "invalid tar header"},
	}
	for name, c := range cases {
		err := receiveSnapshot(t.TempDir(), bytes.NewReader(c.source))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatFollowsTheEndIsReadAndIgnored(t *testing.T) {
	source := bytes.NewReader(append(pack(t, member{name: "a", content: []byte("x")}), bytes.Repeat([]byte{1}, 3_000_000)...))
	if err := receiveSnapshot(t.TempDir(), source); err != nil {
		t.Fatal(err)
	}
	if source.Len() > 0 {
		t.Errorf("%d bytes are left", source.Len())
	}
}
