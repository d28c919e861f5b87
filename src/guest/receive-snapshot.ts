import { closeSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAll } from './write-all.ts';

const STANDARD_INPUT = 0;
const BLOCK = 512;
const BUFFER_BYTES = 1 << 20;

/**
 * Reads the host's tar from standard input to its end and writes its files below `folder`; throws when it is cut off or
 * holds anything but files. A tar program would cost the start of a process, and in gVisor it needs several times as long
 * to read from a pipe.
 */
export function receiveSnapshot(folder: string, input: number = STANDARD_INPUT): void {
  const bytes = createReader(input);
  const made = new Set<string>();
  let longName: string | undefined;
  for (;;) {
    const header = bytes.take(BLOCK);
    if (header.every(byte => byte === 0)) break;
    const size = readNumber(header.subarray(124, 136));
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') {
      longName = readPath(bytes.take(padded(size)).subarray(0, size));
      continue;
    }
    if (type !== '0' && type !== '\0') throw new Error(`the snapshot holds an entry of type ${JSON.stringify(type)}`);
    const path = `${folder}/${longName ?? readName(header)}`;
    longName = undefined;
    const parent = dirname(path);
    if (!made.has(parent)) mkdirSync(parent, { recursive: true });
    made.add(parent);
    const file = openSync(path, 'w', readNumber(header.subarray(100, 108)) & 0o777);
    try {
      bytes.copy(size, piece => writeAll(file, piece));
    } finally {
      closeSync(file);
    }
    bytes.copy(padded(size) - size, () => {});
  }
  bytes.drain();
}

interface Reader {
  /** Exactly so many bytes. */
  take(count: number): Buffer;
  /** The same in pieces, each of which is overwritten by the next. */
  copy(count: number, write: (piece: Buffer) => void): void;
  drain(): void;
}

function createReader(input: number): Reader {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let at = 0;
  let end = 0;
  const fill = (): boolean => {
    at = 0;
    end = readSync(input, buffer, 0, buffer.length, null);
    return end > 0;
  };
  const copy: Reader['copy'] = (count, write) => {
    for (let left = count; left > 0; ) {
      if (at === end && !fill()) throw new Error('the snapshot is cut off');
      const size = Math.min(left, end - at);
      write(buffer.subarray(at, at + size));
      at += size;
      left -= size;
    }
  };
  return {
    take(count) {
      const taken = Buffer.alloc(count);
      let done = 0;
      copy(count, piece => {
        done += piece.copy(taken, done);
      });
      return taken;
    },
    copy,
    drain() {
      while (fill());
    },
  };
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;

/** Octal digits, or the rest as a big number where the first bit is set. */
function readNumber(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(BigInt(`0x${field.subarray(1).toString('hex')}`));
  return Number.parseInt(readText(field), 8) || 0;
}

/** The fields `prefix` and `name` of ustar. */
function readName(header: Buffer): string {
  const prefix = readText(header.subarray(345, 500));
  const name = readText(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `path` of a pax header, whose records are `<length> <key>=<value>\n`; undefined when it has none. */
function readPath(records: Buffer): string | undefined {
  for (let at = 0; at < records.length; ) {
    const length = Number.parseInt(records.toString('latin1', at, at + 12), 10);
    if (!(length > 0)) throw new Error('the snapshot holds a damaged header');
    const record = records.toString('utf8', records.indexOf(0x20, at) + 1, at + length - 1);
    if (record.startsWith('path=')) return record.slice('path='.length);
    at += length;
  }
  return undefined;
}

function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}
