import { crc32 } from 'node:zlib';
import type { StreamEvent } from './events.ts';

/** AWS's event stream frame: lengths and their checksum, headers, payload, checksum of it all (all big-endian). */
export function toEventStreamFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => toHeader(name, value)));
  const body = Buffer.from(payload);
  const frame = Buffer.alloc(12 + head.byteLength + body.byteLength + 4);
  frame.writeUInt32BE(frame.byteLength, 0);
  frame.writeUInt32BE(head.byteLength, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, 12);
  body.copy(frame, 12 + head.byteLength);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.byteLength - 4)), frame.byteLength - 4);
  return frame;
}

/** Bedrock carries each event of the Messages API as base64 in a chunk. */
export function toChunkFrame(event: StreamEvent): Buffer {
  const bytes = Buffer.from(JSON.stringify(event)).toString('base64');
  return toEventStreamFrame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes }),
  );
}

export function toExceptionFrame(type: string, message: string): Buffer {
  return toEventStreamFrame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );
}

function toHeader(name: string, value: string): Buffer {
  const STRING = 7;
  const key = Buffer.from(name);
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.byteLength);
  return Buffer.concat([Buffer.from([key.byteLength]), key, Buffer.from([STRING]), length, text]);
}
