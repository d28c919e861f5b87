import type { Change } from '../core/change.ts';
import type { Tree } from '../core/tree.ts';
import type { TestResult } from './test-result.ts';

/** Where a test stands, and whether the change brought it. */
export interface TestPlace {
  readonly path: string;
  readonly line?: number;
  readonly isNew: boolean;
}

export interface TestLocator {
  locate(test: TestResult): TestPlace;
}

/**
 * Finds tests by their names: in the lines that the change adds, else in files of the head tree that are named like tests.
 * A test is new when an added line holds its name and no deleted one does.
 */
export async function createTestLocator(change: Change, tree: Tree): Promise<TestLocator> {
  const added: Line[] = [];
  const deleted: string[] = [];
  for (const { path, hunks } of change.files) {
    for (const line of hunks.flatMap(hunk => hunk.lines)) {
      if (line.type === 'added' && line.newLine !== undefined)
        added.push({ path, line: line.newLine, text: line.text });
      else if (line.type === 'deleted') deleted.push(line.text);
    }
  }
  const files = await readTestFiles(tree);
  return {
    locate(test) {
      const names = toWrittenNames(test.name);
      const holds = (text: string) => names.some(name => holdsWord(text, name));
      const fresh = added.find(({ text }) => holds(text));
      if (fresh !== undefined) return { path: fresh.path, line: fresh.line, isNew: !deleted.some(holds) };
      for (const { path, lines } of files) {
        const at = lines.findIndex(holds);
        if (at >= 0) return { path, line: at + 1, isNew: false };
      }
      return { path: ownFile(test, files) ?? UNKNOWN_PATH, isNew: false };
    },
  };
}

/** True for files that hold tests by their name. */
export const isTestPath = (path: string): boolean =>
  /(?:^|[/._-])(?:tests?|specs?|__tests__)(?:[/._-]|$)|(?:Test|Tests|Spec|IT)\.\w+$/.test(path);

/** Shown for a test that the tree does not name, one that is generated for instance. */
const UNKNOWN_PATH = '(test output)';
const MAX_FILE_BYTES = 256 * 1024;
const MAX_FILES = 2_000;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
const LEAST_NAME_CHARS = 3;

interface Line {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface TestFile {
  readonly path: string;
  readonly lines: readonly string[];
}

async function readTestFiles(tree: Tree): Promise<TestFile[]> {
  const files: TestFile[] = [];
  let bytes = 0;
  for (const entry of await tree.entries()) {
    if (files.length >= MAX_FILES || bytes >= MAX_TOTAL_BYTES) break;
    if (entry.kind !== 'text' || entry.size > MAX_FILE_BYTES || !isTestPath(entry.path)) continue;
    const read = await tree.read(entry, MAX_FILE_BYTES);
    if (read.status !== 'ok' || read.bytes.includes(0)) continue;
    bytes += read.bytes.length;
    files.push({ path: entry.path, lines: read.bytes.toString('utf8').split('\n') });
  }
  return files;
}

/** Forms in which a source may write the name that a report shows: without parameters, path of subtests or suites. */
function toWrittenNames(name: string): string[] {
  const last = name.split(' > ').at(-1) ?? name;
  const plain = last.replace(/\[.*\]$/, '').replace(/\(.*\)$/, '');
  const forms = [name, last, plain, plain.split('/')[0] ?? '', (plain.split('/').at(-1) ?? '').replaceAll('_', ' ')];
  return [...new Set(forms.map(form => form.trim()))].filter(form => form.length >= LEAST_NAME_CHARS);
}

/** The name as a whole: `test_ac_1` is not in `test_ac_10`. */
function holdsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + name.length]];
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}

/** The file that the report names, where the tree has it. */
function ownFile({ file }: TestResult, files: readonly TestFile[]): string | undefined {
  if (file === undefined) return undefined;
  return files.find(({ path }) => file === path || file.endsWith(`/${path}`))?.path;
}
