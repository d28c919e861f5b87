import type { FileKind } from '../core/change.ts';
import { toMessage } from '../core/errors.ts';
import type { Tree } from '../core/tree.ts';
import type { SnapshotEntry } from '../sandbox/sandbox.ts';
import { extractNotebook, extractScriptBlocks } from './extract-code.ts';
import { isKeyStore, secretsExtension } from './gitleaks.ts';
import { EXTENSION_OF, isNamedWithoutExtension, LANGUAGES, type Language, type View, viewsOf } from './languages.ts';
import { FOLDER } from './scanner.ts';
import { blankCookie, decodeSource } from './source-text.ts';

/** A file to be scanned, as the caller knows it. */
export interface ScanFile {
  readonly path: string;
  readonly rawPath?: string;
  readonly kind: FileKind;
  readonly status?: string;
  readonly newBlob?: string;
}

/** A file of the scan and what became of it; `id` is its place in the list and its number in the job. */
export interface FileRecord {
  readonly id: number;
  readonly path: string;
  readonly rawPath?: string;
  readonly newBlob?: string;
  readonly views: readonly View[];
  /** Languages whose folder holds a copy; filled while the snapshot is sent. */
  readonly sent: Language[];
  /** True once gitleaks has a copy. */
  secrets: boolean;
  /** Language → why part of the file did not get into the copy. */
  limited?: Map<Language, string>;
  /** Why no scanner, or no language scanner, got it. */
  skipped?: string;
}

/** Why a file without a character is kept from the scanners: ast-grep leaves such a file out without a word. */
export const EMPTY = 'empty';
export const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_LINE_BYTES = 1024 * 1024;
const TOKEN = 'ast-grep-ignore';
const BLANKED = 'ast-grep-1gnore';

/** Lists the files with the ways to read them; reads only those whose name does not tell. Links and submodules are skipped. */
export async function planFiles(files: readonly ScanFile[], tree: Tree): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  for (const file of files) {
    const skipped = skipReason(file);
    const record: FileRecord = {
      id: records.length,
      path: file.path,
      ...(file.rawPath === undefined ? {} : { rawPath: file.rawPath }),
      ...(file.newBlob === undefined ? {} : { newBlob: file.newBlob }),
      views: skipped === undefined ? viewsOf(file.path, await firstLine(file, tree)) : [],
      sent: [],
      secrets: false,
      ...(skipped === undefined ? {} : { skipped }),
    };
    records.push(record);
  }
  return records;
}

function skipReason(file: ScanFile): string | undefined {
  if (file.status === 'deleted') return 'deleted';
  if (file.kind === 'symlink') return 'a symbolic link, which is not followed';
  if (file.kind === 'submodule') return 'a submodule, whose content is another repository';
  return undefined;
}

async function firstLine(file: ScanFile, tree: Tree): Promise<string> {
  if (!isNamedWithoutExtension(file.path)) return '';
  const read = await tree.read(file, MAX_FILE_BYTES);
  return read.status === 'ok' ? (read.bytes.subarray(0, 200).toString('latin1').split('\n', 1)[0] ?? '') : '';
}

/** The copies of every file, one file in memory at a time; notes in the records what was sent and what was not. */
export async function* copyFiles(records: readonly FileRecord[], tree: Tree): AsyncGenerator<SnapshotEntry> {
  yield* emptyFolders(records);
  for (const record of records) {
    if (record.skipped !== undefined) continue;
    const read = await tree.read(record, MAX_FILE_BYTES);
    if (read.status === 'ok') yield* copyFile(record, read.bytes);
    else record.skipped = read.status === 'too-large' ? `larger than ${MAX_FILE_BYTES / 1024 / 1024} MB` : read.reason;
  }
}

/** Every folder that a command line names must exist, or the tool ends. */
function* emptyFolders(records: readonly FileRecord[]): Generator<SnapshotEntry> {
  const present = new Set(records.flatMap(record => record.views.map(view => view.language)));
  for (const language of LANGUAGES) {
    if (!present.has(language)) continue;
    for (const folder of [FOLDER.shared, FOLDER.plain, FOLDER.blanked])
      yield { path: `${folder}/${language}/.keep`, content: Buffer.alloc(0) };
  }
}

function* copyFile(record: FileRecord, bytes: Buffer): Generator<SnapshotEntry> {
  if (isEmpty(bytes)) {
    record.skipped = EMPTY;
    return;
  }
  const name = `f${String(record.id).padStart(6, '0')}`;
  if (isTextLike(bytes) || isKeyStore(record.path)) {
    record.secrets = true;
    yield { path: `${FOLDER.secrets}/src/${name}.${secretsExtension(record.path)}`, content: toSecretsCopy(bytes) };
  }
  const longLine = record.views.length > 0 && hasLongLine(bytes);
  for (const view of longLine ? [] : record.views) yield* copyView(record, view, name, bytes);
  if (longLine) record.skipped = `a line of more than ${MAX_LINE_BYTES / 1024 / 1024} MB; only gitleaks looked at it`;
  else if (!record.secrets && record.sent.length === 0) record.skipped = 'binary';
}

/** True for a file of nothing, and for one of a byte-order mark alone, which is not part of the text. */
const isEmpty = (bytes: Buffer): boolean => bytes.length <= 3 && decodeSource(bytes).text === '';

function* copyView(record: FileRecord, view: View, name: string, bytes: Buffer): Generator<SnapshotEntry> {
  const source = decodeSource(bytes, view.language);
  if (source.guessed !== undefined) limit(record, view.language, source.guessed);
  const text = extractView(record, view, source.text);
  if (text === undefined) return;
  record.sent.push(view.language);
  const path = `${view.language}/${name}.${EXTENSION_OF[view.language]}`;
  const content = Buffer.from(view.language === 'python' ? blankCookie(text) : text);
  if (!text.includes(TOKEN)) {
    yield { path: `${FOLDER.shared}/${path}`, content };
    return;
  }
  yield { path: `${FOLDER.plain}/${path}`, content };
  yield { path: `${FOLDER.blanked}/${path}`, content: Buffer.from(text.replaceAll(TOKEN, BLANKED)) };
}

function limit(record: FileRecord, language: Language, reason: string): void {
  record.limited ??= new Map();
  record.limited.set(language, reason);
}

function extractView(record: FileRecord, view: View, text: string): string | undefined {
  if (view.extract === undefined) return text;
  if (view.extract === 'script-blocks') return extractScriptBlocks(text);
  try {
    return extractNotebook(text);
  } catch (error) {
    limit(record, view.language, toMessage(error));
    return undefined;
  }
}

/** gitleaks' copy: UTF-8, with a line feed in front, since it judges by the first bytes whether a file is text. */
export function toSecretsCopy(bytes: Buffer): Buffer {
  const isWide =
    (bytes[0] === 0xff && bytes[1] === 0xfe) ||
    (bytes[0] === 0xfe && bytes[1] === 0xff) ||
    bytes.subarray(0, 4096).includes(0);
  const text = isWide ? Buffer.from(decodeSource(bytes).text) : bytes;
  return Buffer.concat([Buffer.from('\n'), text]);
}

/** Text by content, not by name: fewer than one in twenty control characters, or UTF-16. One NUL byte hides no secret. */
export function isTextLike(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 65_536);
  if (countControls(head) * 20 <= head.length) return true;
  const decoded = decodeSource(head);
  return decoded.guessed === undefined && countControls(Buffer.from(decoded.text)) * 20 <= head.length;
}

function countControls(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) count += 1;
  }
  return count;
}

function hasLongLine(bytes: Buffer): boolean {
  if (bytes.length <= MAX_LINE_BYTES) return false;
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    if (end - start > MAX_LINE_BYTES) return true;
    start = end + 1;
  }
  return bytes.length - start > MAX_LINE_BYTES;
}
