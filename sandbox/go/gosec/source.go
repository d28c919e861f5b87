package main

import (
	"bufio"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	goscanner "go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// sourceLoader type-checks packages from their source and the standard library from its export data, without the go
// command: that reads and hashes thousands of files at each start, and it gives up on a package that cgo or a missing
// module spoils.
type sourceLoader struct {
	fset    *token.FileSet
	exports map[string]string         // import path of a standard package → file with its export data
	std     map[string]*types.Package // what was read of them so far
	modules moduleTable
	checked map[string]*types.Package // directory → package as others import it, without its tests
	context build.Context
}

// newSourceLoader reads a table of lines "import path, tab, file".
func newSourceLoader(table string, tags []string) (*sourceLoader, error) {
	file, err := os.Open(table)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	loader := &sourceLoader{
		fset:    token.NewFileSet(),
		exports: map[string]string{},
		std:     map[string]*types.Package{},
		modules: moduleTable{},
		checked: map[string]*types.Package{},
		context: build.Default,
	}
	// Type checking takes C's names for granted, so files with cgo are as good as others.
	loader.context.CgoEnabled = true
	loader.context.BuildTags = tags
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if path, export, found := strings.Cut(lines.Text(), "\t"); found && export != "" {
			loader.exports[path] = export
		}
	}
	if len(loader.exports) == 0 {
		return nil, fmt.Errorf("%s names no package", table)
	}
	return loader, lines.Err()
}

// sourceFile is a parsed file that belongs to the build.
type sourceFile struct {
	name   string
	syntax *ast.File
	errs   []packages.Error
}

// load gives the packages of one directory: with its tests, and its external tests, as far as they are asked for.
func (l *sourceLoader) load(dir string, tests bool) []*packages.Package {
	byName := map[string][]sourceFile{}
	var names []string
	for _, file := range l.parseDir(dir, tests) {
		name := file.syntax.Name.Name
		if _, known := byName[name]; !known {
			names = append(names, name)
		}
		byName[name] = append(byName[name], file)
	}
	// External tests import the package they stand beside.
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Compare(fmt.Sprint(strings.HasSuffix(a, "_test")), fmt.Sprint(strings.HasSuffix(b, "_test")))
	})
	var pkgs []*packages.Package
	for _, name := range names {
		pkgs = append(pkgs, l.check(dir, name, byName[name]))
	}
	return pkgs
}

func (l *sourceLoader) parseDir(dir string, tests bool) []sourceFile {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []sourceFile
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || entry.IsDir() || (!tests && strings.HasSuffix(name, "_test.go")) {
			continue
		}
		if matches, err := l.context.MatchFile(dir, name); err == nil && !matches {
			continue
		}
		path := filepath.Join(dir, name)
		syntax, err := parser.ParseFile(l.fset, path, nil, parser.AllErrors|parser.ParseComments)
		if syntax == nil || syntax.Name == nil {
			continue
		}
		files = append(files, sourceFile{name: path, syntax: syntax, errs: toParseErrors(path, err)})
	}
	return files
}

// check type-checks files as one package. Errors are kept in it; it is well typed only without any.
func (l *sourceLoader) check(dir, name string, files []sourceFile) *packages.Package {
	module := l.modules.of(dir)
	pkg := &packages.Package{
		ID:         dir + " " + name,
		Name:       name,
		PkgPath:    module.importPath(dir),
		Fset:       l.fset,
		TypesSizes: types.SizesFor("gc", runtime.GOARCH),
		TypesInfo: &types.Info{
			Types:        map[ast.Expr]types.TypeAndValue{},
			Instances:    map[*ast.Ident]types.Instance{},
			Defs:         map[*ast.Ident]types.Object{},
			Uses:         map[*ast.Ident]types.Object{},
			Implicits:    map[ast.Node]types.Object{},
			Selections:   map[*ast.SelectorExpr]*types.Selection{},
			Scopes:       map[ast.Node]*types.Scope{},
			FileVersions: map[*ast.File]string{},
		},
	}
	for _, file := range files {
		pkg.GoFiles = append(pkg.GoFiles, file.name)
		pkg.Syntax = append(pkg.Syntax, file.syntax)
		pkg.Errors = append(pkg.Errors, file.errs...)
	}
	pkg.CompiledGoFiles = pkg.GoFiles
	config := l.config(dir, module, func(err error) { pkg.Errors = append(pkg.Errors, toTypeError(err)) })
	config.Sizes = pkg.TypesSizes
	pkg.Types, _ = config.Check(pkg.PkgPath, l.fset, pkg.Syntax, pkg.TypesInfo)
	pkg.IllTyped = len(pkg.Errors) > 0
	return pkg
}

func (l *sourceLoader) config(dir string, module *goModule, report func(error)) types.Config {
	return types.Config{
		GoVersion:   module.goVersion,
		FakeImportC: true,
		Error:       report,
		Importer:    importerFrom(func(path string) (*types.Package, error) { return l.importFor(dir, module, path) }),
	}
}

// importFor finds what an import in a file of dir names.
func (l *sourceLoader) importFor(dir string, module *goModule, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if export, found := l.exports[path]; found {
		return l.importStandard(path, export)
	}
	target, found := module.dirOf(path)
	if !found {
		return nil, errors.New("no such package here")
	}
	return l.importSource(target)
}

func (l *sourceLoader) importStandard(path, export string) (*types.Package, error) {
	if pkg := l.std[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	file, err := os.Open(export)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader, err := gcexportdata.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(reader, l.fset, l.std, path)
}

// importSource type-checks the non-test files of a directory; their errors are those of another package.
func (l *sourceLoader) importSource(dir string) (*types.Package, error) {
	if pkg, known := l.checked[dir]; known {
		if pkg == nil {
			return nil, errors.New("import cycle, or no Go files")
		}
		return pkg, nil
	}
	l.checked[dir] = nil
	var syntax []*ast.File
	for _, file := range l.parseDir(dir, false) {
		if len(syntax) == 0 || file.syntax.Name.Name == syntax[0].Name.Name {
			syntax = append(syntax, file.syntax)
		}
	}
	if len(syntax) == 0 {
		return nil, errors.New("no Go files")
	}
	module := l.modules.of(dir)
	config := l.config(dir, module, func(error) {})
	config.IgnoreFuncBodies = true
	pkg, _ := config.Check(module.importPath(dir), l.fset, syntax, nil)
	l.checked[dir] = pkg
	return pkg, nil
}

type importerFrom func(path string) (*types.Package, error)

func (f importerFrom) Import(path string) (*types.Package, error) { return f(path) }

func toParseErrors(path string, err error) []packages.Error {
	var list goscanner.ErrorList
	if errors.As(err, &list) {
		found := make([]packages.Error, 0, len(list))
		for _, item := range list {
			found = append(found, packages.Error{Pos: item.Pos.String(), Msg: item.Msg, Kind: packages.ParseError})
		}
		return found
	}
	if err != nil {
		return []packages.Error{{Pos: path + ":1", Msg: err.Error(), Kind: packages.ParseError}}
	}
	return nil
}

func toTypeError(err error) packages.Error {
	var typed types.Error
	if errors.As(err, &typed) {
		return packages.Error{Pos: typed.Fset.Position(typed.Pos).String(), Msg: typed.Msg, Kind: packages.TypeError}
	}
	return packages.Error{Msg: err.Error(), Kind: packages.UnknownError}
}
