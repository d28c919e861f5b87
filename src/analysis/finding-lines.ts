import type { RawFinding } from '../core/finding.ts';
import type { Tree } from '../core/tree.ts';
import { type LineOf, linesForIdentity } from '../findings/identity.ts';
import { isMinified } from '../findings/quiet.ts';

/** A file that findings stand in may be as long as scanners take. */
const MAX_BYTES = 5 * 1024 * 1024;

export interface FindingLines {
  /** The whole text of lines that identities of findings are made of. */
  readonly lineOf: LineOf;
  readonly isMinifiedFile: (path: string) => boolean;
}

/** Reads, from each file that has findings, the lines that their identities need; keeps no file in memory. */
export async function readFindingLines(tree: Tree, findings: readonly RawFinding[]): Promise<FindingLines> {
  const wanted = new Map<string, Set<number>>();
  for (const finding of findings) {
    const lines = wanted.get(finding.path) ?? new Set();
    wanted.set(finding.path, lines);
    const { first, last } = linesForIdentity(finding);
    for (let number = first; number <= last; number++) lines.add(number);
  }
  const texts = new Map<string, ReadonlyMap<number, string>>();
  const minified = new Set<string>();
  for (const [path, numbers] of wanted) {
    const read = await tree.read({ path }, MAX_BYTES);
    if (read.status !== 'ok') continue;
    const text = read.bytes.toString('utf8');
    if (isMinified(text)) minified.add(path);
    texts.set(path, pickLines(text, numbers));
  }
  return {
    lineOf: (path, line) => texts.get(path)?.get(line),
    isMinifiedFile: path => minified.has(path),
  };
}

function pickLines(text: string, numbers: ReadonlySet<number>): Map<number, string> {
  const picked = new Map<number, string>();
  const lines = text.split('\n');
  for (const number of numbers) {
    const line = lines[number - 1];
    // A copy, since a slice would keep the whole file in memory.
    if (line !== undefined) picked.set(number, Buffer.from(line.replace(/\r$/, '')).toString());
  }
  return picked;
}
