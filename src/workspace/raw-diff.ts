import { CypherFixError } from '../core/errors.ts';

/** One record of `git diff --raw -z`. Paths are bytes. */
export interface RawRecord {
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldBlob: string;
  readonly newBlob: string;
  /** A, C, D, M, R or T. */
  readonly status: string;
  /** The source of a rename or copy; else the same as `newPath`. */
  readonly oldPath: Buffer;
  readonly newPath: Buffer;
}

export interface RawDiffParser {
  /** Takes bytes; returns those after the end of the records (where the patch begins), null while there is no end. */
  push(chunk: Buffer): Buffer | null;
  /** True between two records, where the output may end. */
  readonly atBoundary: boolean;
}

/**
 * Parses the NUL-separated records of `git diff --raw -z` as they come and hands each to `onRecord`. Throws on anything
 * that is not such a record.
 */
export function createRawDiffParser(onRecord: (record: RawRecord) => void): RawDiffParser {
  let rest: Buffer = Buffer.alloc(0);
  let header: RegExpExecArray | null = null;
  let oldPath: Buffer | null = null;
  const take = (token: Buffer): void => {
    if (header === null) {
      header = /^:(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([ACDMRT])\d*$/.exec(token.toString('latin1'));
      if (header === null) throw badRecord(token);
      return;
    }
    const [, oldMode = '', newMode = '', oldBlob = '', newBlob = '', status = ''] = header;
    if (oldPath === null && (status === 'R' || status === 'C')) {
      oldPath = Buffer.from(token);
      return;
    }
    const newPath = Buffer.from(token);
    onRecord({ oldMode, newMode, oldBlob, newBlob, status, oldPath: oldPath ?? newPath, newPath });
    header = null;
    oldPath = null;
  };
  return {
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
        const token = bytes.subarray(at, end);
        at = end + 1;
        if (token.length === 0 && header === null) return bytes.subarray(at);
        take(token);
      }
      rest = Buffer.from(bytes.subarray(at));
      return null;
    },
    get atBoundary() {
      return header === null && rest.length === 0;
    },
  };
}

function badRecord(token: Buffer): CypherFixError {
  return new CypherFixError(
    'internal',
    `not a raw diff record: ${JSON.stringify(token.toString('utf8').slice(0, 200))}`,
  );
}
