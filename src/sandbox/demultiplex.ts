import type { Readable } from 'node:stream';
import { CypherFixError } from '../core/errors.ts';

const HEADER_BYTES = 8;

export interface OutputPiece {
  readonly source: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

/**
 * Splits the engine's attach stream into pieces of the container's output, as they arrive; a frame may come in several
 * pieces. Iterative, holds at most one header back, and reads on only when the consumer asks. Throws on a frame that the
 * engine never sends.
 */
export async function* demultiplex(stream: Readable): AsyncGenerator<OutputPiece> {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerFilled = 0;
  let frameLeft = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let offset = 0;
    while (offset < chunk.length) {
      if (frameLeft === 0) {
        const taken = chunk.copy(header, headerFilled, offset, offset + HEADER_BYTES - headerFilled);
        headerFilled += taken;
        offset += taken;
        if (headerFilled < HEADER_BYTES) break;
        headerFilled = 0;
        frameLeft = readFrameLength(header);
        continue;
      }
      const end = Math.min(chunk.length, offset + frameLeft);
      yield { source: header[0] === 2 ? 'stderr' : 'stdout', bytes: chunk.subarray(offset, end) };
      frameLeft -= end - offset;
      offset = end;
    }
  }
}

function readFrameLength(header: Buffer): number {
  const type = header[0] ?? 0;
  if ((type !== 1 && type !== 2) || header.readUIntBE(1, 3) !== 0) {
    throw new CypherFixError('sandbox', `the engine's output stream holds a frame of an unknown kind (${type})`);
  }
  return header.readUInt32BE(4);
}
