import { type Document, isCollection, isMap, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { MAX_POLICY_BYTES } from './policy-file.ts';

export type KeyPath = readonly (string | number)[];

/** One fault of a file: the line is 1-based, the key path empty where the file as a whole is meant. */
export interface FileFault {
  readonly line: number;
  readonly keyPath: KeyPath;
  readonly text: string;
}

/** A small, hostile-proof reading of one YAML file: values, and the line where each key stands. */
export interface YamlFile {
  readonly value: unknown;
  readonly faults: readonly FileFault[];
  /** Line of the key at the path, or of the nearest parent that exists. */
  lineOf(keyPath: KeyPath): number;
}

const MAX_ALIASES = 50;
const MAX_DEPTH = 30;
const MAX_SYNTAX_FAULTS = 3;

/** Reads YAML 1.2 (core schema). Duplicate keys, tags, a second document and alias bombs are faults. */
export function parseYamlFile(bytes: Uint8Array): YamlFile {
  if (bytes.byteLength > MAX_POLICY_BYTES) return broken(1, `expected at most ${MAX_POLICY_BYTES} bytes`);
  const text = decode(bytes);
  if (text === null) return broken(1, 'expected UTF-8 text');
  const deep = tooDeepAt(text);
  if (deep > 0) return broken(deep, `expected at most ${MAX_DEPTH} levels`);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    merge: false,
    strict: true,
    stringKeys: true,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const lineAt = (offset: number | undefined): number => lines.linePos(offset ?? 0).line || 1;
  const lineOf = (keyPath: KeyPath): number => lineAt(offsetOf(document, keyPath));
  const faults = [...syntaxFaults(document, lineAt), ...tagFaults(document, lineAt)];
  if (faults.length > 0) return { value: null, faults, lineOf };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) ?? null, faults, lineOf };
  } catch (error) {
    return { value: null, faults: [fault(1, error instanceof Error ? error.message : 'unreadable')], lineOf };
  }
}

const fault = (line: number, text: string): FileFault => ({
  line,
  keyPath: [],
  text: text.replace(/\s+/g, ' ').slice(0, 300),
});

const broken = (line: number, text: string): YamlFile => ({
  value: null,
  faults: [fault(line, text)],
  lineOf: () => 1,
});

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Line of the first bracket or indentation that nests too deep, else 0. The parser recurses: a file of brackets alone
 * would make it run out of stack, slowly, once a level.
 */
function tooDeepAt(text: string): number {
  let depth = 0;
  let line = 1;
  let lead = 0;
  let leading = true;
  for (const char of text) {
    if (char === '\n') {
      line += 1;
      lead = 0;
      leading = true;
      continue;
    }
    if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth = Math.max(0, depth - 1);
    if (leading && (char === '-' || char === '?' || char === ':')) lead += 1;
    else if (char !== ' ') leading = false;
    if (depth > MAX_DEPTH || lead > MAX_DEPTH) return line;
  }
  return 0;
}

/** One a line, and few: what follows a syntax error is mostly its echo. */
function syntaxFaults(document: Document.Parsed, lineAt: (offset: number | undefined) => number): FileFault[] {
  const byLine = new Map<number, FileFault>();
  for (const error of document.errors) {
    const line = lineAt(error.pos[0]);
    if (!byLine.has(line)) byLine.set(line, fault(line, error.message));
  }
  return [...byLine.values()].slice(0, MAX_SYNTAX_FAULTS);
}

function tagFaults(document: Document.Parsed, lineAt: (offset: number | undefined) => number): FileFault[] {
  const faults: FileFault[] = [];
  visit(document, {
    Node(_key, node) {
      if (node.tag) faults.push(fault(lineAt(node.range?.[0]), `expected no tag, got ${node.tag}`));
    },
  });
  return faults;
}

/** Offset of the key itself where the path ends in a key of a map, so that the line is the one people see it on. */
function offsetOf(document: Document.Parsed, keyPath: KeyPath): number | undefined {
  let node: unknown = document.contents;
  let offset = (node as Node | null)?.range?.[0];
  for (const step of keyPath) {
    if (!isCollection(node)) break;
    if (isMap(node)) {
      const pair = node.items.find(item => (item.key as { value?: unknown } | null)?.value === String(step));
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else {
      node = node.items[Number(step)];
      if (node === undefined || node === null) break;
      offset = (node as Node).range?.[0] ?? offset;
    }
  }
  return offset;
}
