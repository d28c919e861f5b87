import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP archive of the given files, deflated, as the artifact store serves it. */
export function zipFiles(files: Record<string, string | Buffer>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const path = Buffer.from(name, 'utf8');
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const fields = renderFields(plain, packed.length, path.length);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, path, packed]);
    bodies.push(local);
    directory.push(renderEntry(fields, path, offset));
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, index, end]);
}

/** The 26 bytes that a local header and its entry in the directory share. */
function renderFields(plain: Buffer, packedLength: number, nameLength: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // version needed
  fields.writeUInt16LE(0x800, 2); // names are UTF-8
  fields.writeUInt16LE(8, 4); // deflate
  fields.writeUInt16LE(0x21, 8); // 1 January 1980, the earliest date it can say
  fields.writeUInt32LE(crc32(plain), 10);
  fields.writeUInt32LE(packedLength, 14);
  fields.writeUInt32LE(plain.length, 18);
  fields.writeUInt16LE(nameLength, 22);
  return fields;
}

function renderEntry(fields: Buffer, path: Buffer, offset: number): Buffer {
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, tail, path]);
}
