import type { Tree } from '../core/tree.ts';
import type { SnapshotEntry } from '../sandbox/sandbox.ts';
import { folderOf, type GoIndex, groupByFolder, indexGoFiles, nameOf } from './go-index.ts';
import { clampGoVersion, folderOfImport, type GoModule, joinFolder, parseGoModule } from './go-module.ts';
import { liftExclusion, parseGoSource } from './go-source.ts';
import { FOLDER } from './scanner.ts';
import { decodeSource } from './source-text.ts';

/** A Go file of the change under its place in the job. */
export interface GoOrigin {
  readonly id: number;
  /** Why gosec cannot see all that matters for the file. */
  readonly limited?: string;
}

export interface GoLayout {
  /** Package folders for gosec's command line, relative to /work. */
  readonly folders: readonly string[];
  /** Job path → file of the change. */
  readonly origins: ReadonlyMap<string, GoOrigin>;
  entries(): AsyncIterable<SnapshotEntry>;
  readonly notices: readonly string[];
}

export interface ChangedGoFile {
  readonly id: number;
  readonly path: string;
  readonly rawPath?: string;
}

interface Copy {
  readonly jobPath: string;
  readonly source: { readonly path: string; readonly rawPath?: string };
  readonly form: 'as-is' | 'lifted' | 'go.mod';
}

/** The newest minor release of Go that the image knows (1.27). */
const NEWEST_GO_MINOR = 27;
const MAX_BYTES = 5 * 1024 * 1024;
/** Files of packages that the changed ones import; above this, types stay partial and a notice says so. */
const MAX_DEPENDENCY_FILES = 1_500;
const CLEAN_FOLDER = /^(?:[\w.~+=-]+(?:\/[\w.~+=-]+)*)?$/;
const CLEAN_FILE = /^[\w.~+=-]+$/;
const ROOT = `${FOLDER.go}/r`;

/**
 * Lays out what gosec needs: the packages of the changed files, those they import from the repository or a vendor
 * folder, and the go.mod files, under their real paths. A file that the Go tool would leave out (build constraint, other
 * system, cgo, a name or a package clause of its own) gets a package folder of its own with the exclusion lifted.
 */
export async function planGoLayout(
  changed: readonly ChangedGoFile[],
  tree: Tree,
  canaryFolder: string,
): Promise<GoLayout> {
  const index = indexGoFiles(await tree.entries());
  const plan = new LayoutPlan(tree, index);
  for (const [folder, files] of groupByFolder(changed)) await plan.addChanged(folder, files);
  await plan.addDependencies();
  return plan.finish(canaryFolder);
}

class LayoutPlan {
  readonly #tree: Tree;
  readonly #index: GoIndex;
  readonly #copies = new Map<string, Copy>();
  readonly #origins = new Map<string, GoOrigin>();
  readonly #folders = new Set<string>();
  readonly #modules = new Map<string, GoModule | undefined>();
  readonly #wanted: { importPath: string; module: GoModule }[] = [];
  #alone = 0;
  #dependencies = 0;
  #cut = false;

  constructor(tree: Tree, index: GoIndex) {
    this.#tree = tree;
    this.#index = index;
  }

  async addChanged(folder: string, changed: readonly ChangedGoFile[]): Promise<void> {
    const clean = CLEAN_FOLDER.test(folder);
    const neighbours = clean ? (this.#index.files.get(folder) ?? []) : [];
    const byPath = new Map(changed.map(file => [file.path, file]));
    const sources = await this.#readAll(neighbours.length === 0 ? changed : neighbours);
    const regular = sources.filter(({ source }) => source.excluded === undefined);
    const packageName = mainPackage(regular.map(({ source }) => source.packageName));
    const module = await this.#moduleOf(folder);
    for (const { file, source } of sources) {
      const changedFile = byPath.get(file.path);
      const name = nameOf(file.path);
      const foreign = source.packageName !== packageName && source.packageName !== `${packageName}_test`;
      const reason =
        source.excluded ?? (foreign ? `package ${source.packageName} beside package ${packageName}` : undefined);
      const fits = clean && CLEAN_FILE.test(name) && name.endsWith('.go') && reason === undefined;
      if (fits) this.#place(`${ROOT}/${folder === '' ? '' : `${folder}/`}${name}`, file, 'as-is', changedFile);
      else if (changedFile !== undefined)
        this.#placeAlone(clean ? folder : '', changedFile, reason ?? 'a path that the Go tool does not take');
      if (fits || changedFile !== undefined) this.#want(source.imports, module);
    }
  }

  /** Packages of the repository that are imported, and theirs in turn. Only their declarations matter, so tests stay out. */
  async addDependencies(): Promise<void> {
    const seen = new Set<string>();
    for (let next = this.#wanted.pop(); next !== undefined; next = this.#wanted.pop()) {
      const folder = this.#folderOf(next.importPath, next.module);
      if (folder === undefined || seen.has(folder) || !CLEAN_FOLDER.test(folder)) continue;
      seen.add(folder);
      const module = (await this.#moduleOf(folder)) ?? next.module;
      const files = (this.#index.files.get(folder) ?? []).filter(
        file => !file.path.endsWith('_test.go') && CLEAN_FILE.test(nameOf(file.path)),
      );
      if (this.#dependencies + files.length > MAX_DEPENDENCY_FILES) {
        this.#cut = true;
        continue;
      }
      for (const { file, source } of await this.#readAll(files)) {
        if (source.excluded !== undefined || this.#copies.has(`${ROOT}/${file.path}`)) continue;
        this.#dependencies++;
        this.#copies.set(`${ROOT}/${file.path}`, { jobPath: `${ROOT}/${file.path}`, source: file, form: 'as-is' });
        this.#want(source.imports, folder.includes('vendor/') ? next.module : module);
      }
    }
  }

  finish(canaryFolder: string): GoLayout {
    const copies = [...this.#copies.values()];
    const hasRoot = this.#copies.has(`${ROOT}/go.mod`);
    const tree = this.#tree;
    return {
      folders: [...this.#folders, `${ROOT}/${canaryFolder}`],
      origins: this.#origins,
      notices: this.#cut
        ? [`gosec: more than ${MAX_DEPENDENCY_FILES} files are imported; types of the rest are unknown to it`]
        : [],
      async *entries() {
        // One module for all folders without a go.mod of their own saves a start of the Go tool for each.
        if (!hasRoot)
          yield {
            path: `${ROOT}/go.mod`,
            content: Buffer.from(`module cypherfix.invalid/change\n\ngo 1.${NEWEST_GO_MINOR}\n`),
          };
        for (const copy of copies) {
          const read = await tree.read(copy.source, MAX_BYTES);
          if (read.status === 'ok') yield { path: copy.jobPath, content: toContent(read.bytes, copy.form) };
        }
      },
    };
  }

  #place(
    jobPath: string,
    source: Copy['source'],
    form: Copy['form'],
    changed: ChangedGoFile | undefined,
    limited?: string,
  ): void {
    this.#copies.set(jobPath, { jobPath, source, form });
    if (changed === undefined) return;
    this.#origins.set(jobPath, limited === undefined ? { id: changed.id } : { id: changed.id, limited });
    this.#folders.add(folderOf(jobPath));
  }

  #placeAlone(folder: string, file: ChangedGoFile, reason: string): void {
    this.#alone++;
    const jobPath = `${ROOT}/${folder === '' ? '' : `${folder}/`}cypherfix-alone-${this.#alone}/f${String(file.id).padStart(6, '0')}.go`;
    this.#place(jobPath, file, 'lifted', file, `analysed alone, without the rest of its package: ${reason}`);
  }

  #want(imports: readonly string[], module: GoModule | undefined): void {
    if (module !== undefined) for (const importPath of imports) this.#wanted.push({ importPath, module });
  }

  /** Folder in the repository that an import of this module names. */
  #folderOf(importPath: string, module: GoModule): string | undefined {
    const local = folderOfImport(module, importPath);
    if (local !== undefined) return local;
    const vendor = joinFolder(module.root, 'vendor');
    if (vendor === undefined || !this.#index.vendorLists.has(vendor)) return undefined;
    const folder = `${vendor}/${importPath}`;
    return this.#index.files.has(folder) ? folder : undefined;
  }

  /** The module that a folder belongs to; its go.mod and its vendor list go into the layout. */
  async #moduleOf(folder: string): Promise<GoModule | undefined> {
    let root = folder;
    while (root !== '' && !this.#index.modules.has(root)) root = folderOf(root);
    if (this.#modules.has(root)) return this.#modules.get(root);
    const entry = this.#index.modules.get(root);
    const read = entry === undefined ? undefined : await this.#tree.read(entry, MAX_BYTES);
    const module = read?.status === 'ok' ? parseGoModule(root, read.bytes.toString('utf8')) : undefined;
    this.#modules.set(root, module);
    if (entry !== undefined && module !== undefined && CLEAN_FOLDER.test(root)) {
      this.#place(`${ROOT}/${entry.path}`, entry, 'go.mod', undefined);
      const list = this.#index.vendorLists.get(joinFolder(root, 'vendor') ?? '');
      if (list !== undefined) this.#place(`${ROOT}/${list.path}`, list, 'as-is', undefined);
    }
    return module;
  }

  async #readAll(files: readonly Copy['source'][]) {
    const sources: { file: Copy['source']; source: ReturnType<typeof parseGoSource> }[] = [];
    for (const file of files) {
      const read = await this.#tree.read(file, MAX_BYTES);
      if (read.status === 'ok')
        sources.push({ file, source: parseGoSource(nameOf(file.path), decodeSource(read.bytes).text) });
    }
    return sources;
  }
}

function toContent(bytes: Buffer, form: Copy['form']): Buffer {
  if (form === 'as-is') return bytes;
  const text = decodeSource(bytes).text;
  return Buffer.from(form === 'lifted' ? liftExclusion(text) : clampGoVersion(text, NEWEST_GO_MINOR));
}

/** The package that most files of a folder name; test packages of their own count for the package they test. */
function mainPackage(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    const plain = name.replace(/_test$/, '');
    if (plain !== '') counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}
