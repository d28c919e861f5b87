export interface LineScanner {
  push(chunk: Buffer): void;
  end(): void;
}

/**
 * Cuts bytes into lines and calls `onLine` with each (null when it is longer than `maxBytes`) and its first byte (-1 for
 * an empty line). A line is only valid during the call: it may be a view of a chunk.
 */
export function createLineScanner(maxBytes: number, onLine: (line: Buffer | null, first: number) => void): LineScanner {
  let pending: Buffer[] = [];
  let length = 0;
  let first = -1;
  const add = (piece: Buffer): void => {
    if (piece.length === 0) return;
    if (length === 0) first = piece[0] ?? -1;
    length += piece.length;
    if (length > maxBytes) pending = [];
    else pending.push(piece);
  };
  const flush = (last: Buffer): void => {
    if (length === 0) {
      onLine(last.length > maxBytes ? null : last, last[0] ?? -1);
      return;
    }
    add(last);
    onLine(length > maxBytes ? null : Buffer.concat(pending), first);
    pending = [];
    length = 0;
  };
  return {
    push(chunk) {
      let at = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
        flush(chunk.subarray(at, end));
        at = end + 1;
      }
      add(chunk.subarray(at));
    },
    end() {
      if (length > 0) flush(Buffer.alloc(0));
    },
  };
}

/** Lines gathered in one growing buffer: an object a line would weigh more than most lines do. */
export interface ByteList {
  readonly length: number;
  /** Copies the line and adds a newline. */
  addLine(line: Buffer): void;
  toBuffer(): Buffer;
}

export function createByteList(): ByteList {
  let bytes = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    addLine(line) {
      const needed = length + line.length + 1;
      if (needed > bytes.length) {
        const grown = Buffer.alloc(Math.max(needed, bytes.length * 2, 512));
        bytes.copy(grown, 0, 0, length);
        bytes = grown;
      }
      line.copy(bytes, length);
      bytes[needed - 1] = 10;
      length = needed;
    },
    toBuffer: () => Buffer.from(bytes.subarray(0, length)),
  };
}
