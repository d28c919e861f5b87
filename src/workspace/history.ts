import { CypherFixError } from '../core/errors.ts';
import type { HistoricBlob, History, ReadResult } from '../core/tree.ts';
import type { Git } from './git.ts';
import type { ObjectReader } from './object-reader.ts';
import { readBlob } from './tree.ts';

/**
 * Every version of a file that a commit of `mergeBase..head` added, also where a later commit removed it again, each once
 * a path and with the first commit that added it. A merge adds what none of its parents has. Nothing is left out.
 */
export async function readHistory(
  git: Git,
  objects: ObjectReader,
  range: { readonly mergeBaseSha: string; readonly headSha: string },
): Promise<History> {
  const found = createLogParser();
  const log = ['log', '-z', '--raw', '-c', '-r', '--no-abbrev', '--no-renames', '--reverse', '--topo-order'];
  const plain = ['--root', '--no-notes', '--no-mailmap', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none'];
  const commits = ['--format=%H', '--end-of-options', `${range.mergeBaseSha}..${range.headSha}`];
  await git.stream([...log, ...plain, ...commits], found.push);
  const { commits: all, versions } = found.end();
  const sizes = await readSizes(git, [...new Set(versions.map(version => version.blob))]);
  const blobs = versions.map(version => ({ ...version, size: sizes.get(version.blob) ?? 0 }));
  return { commits: all, blobs, read: (version, maxBytes) => readVersion(objects, version, maxBytes) };
}

// The size is known: a version that is too long is not even asked for.
async function readVersion(objects: ObjectReader, version: HistoricBlob, maxBytes: number): Promise<ReadResult> {
  if (version.size <= maxBytes) return readBlob(objects, version.blob, maxBytes);
  return { status: 'too-large', reason: `${version.size} bytes, at most ${maxBytes} are read` };
}

type Version = Omit<HistoricBlob, 'size'>;

/** Parses `git log -z --raw -c --format=%H`: ids, then records each followed by its path, all NUL-separated. */
function createLogParser() {
  const commits: string[] = [];
  const versions: Version[] = [];
  const seen = new Set<string>();
  let rest: Buffer = Buffer.alloc(0);
  let record: string | null = null;
  const take = (token: Buffer): void => {
    if (record !== null) {
      addVersion(record, token);
      record = null;
      return;
    }
    const text = token.toString('latin1').trim();
    if (text.startsWith(':')) record = text;
    else if (/^[0-9a-f]{40,64}$/.test(text)) commits.push(text);
    else if (text !== '') throw new CypherFixError('internal', `unexpected line of git log: ${JSON.stringify(text)}`);
  };
  const addVersion = (text: string, path: Buffer): void => {
    const parents = text.lastIndexOf(':') + 1;
    const fields = text.slice(parents).split(' ');
    const mode = fields[parents];
    const blob = fields[2 * parents + 1];
    const commit = commits.at(-1);
    if (mode === undefined || blob === undefined || commit === undefined) {
      throw new CypherFixError('internal', `unexpected record of git log: ${JSON.stringify(text)}`);
    }
    if (mode === '000000' || mode === '160000') return;
    const key = `${blob}${path.toString('latin1')}`;
    if (seen.has(key)) return;
    seen.add(key);
    versions.push({ blob, path: path.toString('utf8'), commit });
  };
  return {
    push(chunk: Buffer): void {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
        take(bytes.subarray(at, end));
        at = end + 1;
      }
      rest = Buffer.from(bytes.subarray(at));
    },
    end() {
      if (rest.length > 0) take(rest);
      if (record !== null) throw new CypherFixError('internal', 'the output of git log ends within a record');
      return { commits, versions };
    },
  };
}

async function readSizes(git: Git, blobs: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  if (blobs.length === 0) return sizes;
  const checked = await git.run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    input: `${blobs.join('\n')}\n`,
    maxBytes: blobs.length * 128,
  });
  for (const line of checked.stdout.toString('latin1').split('\n')) {
    const [blob = '', size = ''] = line.split(' ');
    if (/^\d+$/.test(size)) sizes.set(blob, Number(size));
    else if (line !== '') throw new CypherFixError('git', `the clone lacks an object of the history: ${line}`);
  }
  return sizes;
}
