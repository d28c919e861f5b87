package main

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// goModule is what a go.mod says of where packages lie and which language version they use.
type goModule struct {
	root      string // empty outside any module
	path      string
	goVersion string
	local     map[string]string // module path → folder, of "replace x => ./y"
	vendor    string            // folder of vendored packages, empty without one
}

// moduleTable holds the module of each directory that was asked for.
type moduleTable map[string]*goModule

func (t moduleTable) of(dir string) *goModule {
	if module, known := t[dir]; known {
		return module
	}
	var module *goModule
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	switch parent := filepath.Dir(dir); {
	case err == nil:
		module = parseModule(dir, content)
	case parent == dir:
		module = &goModule{}
	default:
		module = t.of(parent)
	}
	t[dir] = module
	return module
}

func parseModule(root string, content []byte) *goModule {
	module := &goModule{root: root, local: map[string]string{}}
	// The lax form leaves out what it does not know; a file that is no go.mod at all gives an unnamed module.
	file, err := modfile.ParseLax("go.mod", content, nil)
	if err != nil {
		return module
	}
	if file.Module != nil {
		module.path = file.Module.Mod.Path
	}
	if file.Go != nil {
		module.goVersion = "go" + file.Go.Version
	}
	if strict, err := modfile.Parse("go.mod", content, nil); err == nil {
		for _, replace := range strict.Replace {
			if strings.HasPrefix(replace.New.Path, ".") {
				module.local[replace.Old.Path] = filepath.Join(root, replace.New.Path)
			}
		}
	}
	if stat, err := os.Stat(filepath.Join(root, "vendor")); err == nil && stat.IsDir() {
		module.vendor = filepath.Join(root, "vendor")
	}
	return module
}

// dirOf finds the folder of an import path: in the module, in a module it replaces by a folder, or vendored.
func (m *goModule) dirOf(path string) (string, bool) {
	if dir, found := inside(m.path, m.root, path); found {
		return dir, true
	}
	for prefix, folder := range m.local {
		if dir, found := inside(prefix, folder, path); found {
			return dir, true
		}
	}
	if m.vendor != "" {
		dir := filepath.Join(m.vendor, filepath.FromSlash(path))
		if stat, err := os.Stat(dir); err == nil && stat.IsDir() {
			return dir, true
		}
	}
	return "", false
}

func inside(prefix, root, path string) (string, bool) {
	rest, found := strings.CutPrefix(path, prefix)
	if prefix == "" || !found || (rest != "" && rest[0] != '/') {
		return "", false
	}
	return filepath.Join(root, filepath.FromSlash(rest)), true
}

// importPath is the path under which others import the package of a directory.
func (m *goModule) importPath(dir string) string {
	if m.vendor != "" {
		if rest, found := strings.CutPrefix(dir, m.vendor+string(filepath.Separator)); found {
			return filepath.ToSlash(rest)
		}
	}
	rest, found := strings.CutPrefix(dir, m.root)
	if m.root == "" || !found {
		return filepath.Base(dir)
	}
	return m.path + filepath.ToSlash(rest)
}
