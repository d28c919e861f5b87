package main

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/securego/gosec/v2"
	"golang.org/x/tools/go/packages"
)

// group is a set of package directories that one run of the go command can load.
type group struct {
	root string // the module's folder, or the directory itself
	dirs []string
	lone bool // the go command takes this directory only as a list of files
}

// listDirs makes the arguments absolute and expands "/...". Unlike gosec's command line it skips no directory by name.
func listDirs(args []string) (dirs, missing []string, err error) {
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	for _, arg := range args {
		root, tree := strings.CutSuffix(arg, "...")
		absolute, err := filepath.Abs(root)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", arg, err)
		}
		if stat, err := os.Stat(absolute); err != nil || !stat.IsDir() {
			missing = append(missing, absolute)
			continue
		}
		if !tree {
			add(absolute)
			continue
		}
		err = filepath.WalkDir(absolute, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".go" {
				add(filepath.Dir(path))
			}
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", arg, err)
		}
	}
	return dirs, missing, nil
}

// groupByModule keeps the order in which modules were first named.
func groupByModule(dirs []string) []group {
	var groups []group
	index := map[string]int{}
	for _, dir := range dirs {
		root := gosec.FindModuleRoot(dir)
		if root == "" || isVendored(root, dir) {
			groups = append(groups, group{root: cmpOr(root, dir), dirs: []string{dir}, lone: true})
			continue
		}
		at, known := index[root]
		if !known {
			at = len(groups)
			index[root] = at
			groups = append(groups, group{root: root})
		}
		groups[at].dirs = append(groups[at].dirs, dir)
	}
	return groups
}

func isVendored(root, dir string) bool {
	relative, err := filepath.Rel(root, dir)
	return err != nil || slices.Contains(strings.Split(filepath.ToSlash(relative), "/"), "vendor")
}

func cmpOr(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

// load type-checks a group's packages. When one run cannot take them together, each directory is loaded by its file list.
func (s *scanner) load(group group, found *results) []*packages.Package {
	if !group.lone {
		patterns := make([]string, len(group.dirs))
		for i, dir := range group.dirs {
			patterns[i] = "./" + filepath.ToSlash(mustRel(group.root, dir))
		}
		pkgs, err := packages.Load(s.config(group.root), patterns...)
		if err == nil {
			return s.reloadIncomplete(group, pkgs, found)
		}
		s.logger.Printf("%s: %v; loading one directory at a time", group.root, err)
	}
	var pkgs []*packages.Package
	for _, dir := range group.dirs {
		pkgs = append(pkgs, s.loadFiles(group.root, dir, found)...)
	}
	return pkgs
}

// reloadIncomplete keeps the packages that came with syntax and loads the other directories by their file lists.
func (s *scanner) reloadIncomplete(group group, pkgs []*packages.Package, found *results) []*packages.Package {
	var kept []*packages.Package
	covered := map[string]bool{}
	for _, pkg := range dropShadowed(pkgs) {
		if pkg.Name == "" || len(pkg.Syntax) == 0 {
			continue
		}
		kept = append(kept, pkg)
		for _, file := range pkg.GoFiles {
			covered[filepath.Dir(file)] = true
		}
	}
	for _, dir := range group.dirs {
		if !covered[dir] {
			kept = append(kept, s.loadFiles(group.root, dir, found)...)
		}
	}
	return kept
}

// dropShadowed leaves out "p" when "p [p.test]" is there, which has the same files and its tests, and generated test mains.
func dropShadowed(pkgs []*packages.Package) []*packages.Package {
	withTests := map[string]bool{}
	for _, pkg := range pkgs {
		if plain, _, variant := strings.Cut(pkg.ID, " ["); variant && !strings.HasSuffix(plain, "_test") {
			withTests[plain] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(pkgs), func(pkg *packages.Package) bool {
		return withTests[pkg.ID] || strings.HasSuffix(pkg.ID, ".test")
	})
}

// loadFiles loads one directory as gosec's command line does: the files that the build constraints allow, named one by one.
func (s *scanner) loadFiles(root, dir string, found *results) []*packages.Package {
	context := build.Default
	context.BuildTags = s.tags
	files, err := context.ImportDir(dir, build.ImportComment)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return nil
	}
	if err != nil {
		found.addError(dir, gosec.NewError(0, 0, fmt.Sprintf("importing %s: %v", dir, err)))
		if files == nil {
			return nil
		}
	}
	names := slices.Concat(files.GoFiles, files.CgoFiles)
	if s.tests {
		names = slices.Concat(names, files.TestGoFiles, files.XTestGoFiles)
	}
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	pkgs, err := packages.Load(s.config(root), names...)
	if err != nil {
		found.addError(dir, gosec.NewError(0, 0, fmt.Sprintf("loading %s: %v", dir, err)))
		return nil
	}
	return slices.DeleteFunc(dropShadowed(pkgs), func(pkg *packages.Package) bool { return pkg.Name == "" })
}

func (s *scanner) config(root string) *packages.Config {
	return &packages.Config{
		Mode:       gosec.LoadMode,
		BuildFlags: gosec.CLIBuildTags(s.tags),
		Tests:      s.tests,
		Dir:        root,
	}
}

func mustRel(root, dir string) string {
	relative, err := filepath.Rel(root, dir)
	if err != nil {
		return dir
	}
	return relative
}
