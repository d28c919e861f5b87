// Packs a root file system into a docker-load archive that depends on nothing but the tree: no builder, no registry, no clock.
// usage: node pack.mjs ROOT ARCHIVE ENV...       prints {"configDigest","diffIds","size"}
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const BLOCK = 512;
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

/** Writes the archive; `env` is a list of NAME=value. Resolves with the image's identity and the archive's size in bytes. */
export async function packImage(root, archive, env, architecture = ARCHITECTURES[process.arch]) {
  const file = await open(archive, 'w');
  try {
    // The layer's length and digest are known only at its end, so its header is written afterwards, in front of it.
    const layer = await writeLayer(root, file, BLOCK);
    const config = JSON.stringify({
      architecture,
      config: { Env: env, User: '65532:65532', WorkingDir: '/work' },
      created: '1970-01-01T00:00:00Z',
      history: [{ created: '1970-01-01T00:00:00Z', created_by: 'cypherfix sandbox/setup' }],
      os: 'linux',
      rootfs: { diff_ids: [`sha256:${layer.digest}`], type: 'layers' },
    });
    const configDigest = createHash('sha256').update(config).digest('hex');
    const manifest = JSON.stringify([{ Config: `${configDigest}.json`, Layers: ['layer.tar'], RepoTags: null }]);
    await file.write(tarHeader('layer.tar', layer.size), 0, BLOCK, 0);
    const rest = Buffer.concat([
      Buffer.alloc(padding(layer.size)),
      tarEntry(`${configDigest}.json`, config),
      tarEntry('manifest.json', manifest),
      Buffer.alloc(2 * BLOCK),
    ]);
    await file.write(rest, 0, rest.length, BLOCK + layer.size);
    return {
      configDigest: `sha256:${configDigest}`,
      diffIds: [`sha256:${layer.digest}`],
      size: BLOCK + layer.size + rest.length,
    };
  } finally {
    await file.close();
  }
}

/** Streams GNU tar's deterministic output of `root` into `file` at `offset`. */
async function writeLayer(root, file, offset) {
  const tar = spawn(
    'tar',
    [
      '--create',
      '--file=-',
      '--format=gnu',
      '--sort=name',
      '--mtime=@0',
      '--numeric-owner',
      '--no-xattrs',
      '--blocking-factor=2048',
      '-C',
      root,
      '.',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, LC_ALL: 'C' } },
  );
  let complaint = '';
  tar.stderr.on('data', chunk => {
    complaint += chunk;
  });
  const ended = new Promise((resolve, reject) => {
    tar.on('error', reject);
    tar.on('close', resolve);
  });
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of tar.stdout) {
    hash.update(chunk);
    await file.write(chunk, 0, chunk.length, offset + size);
    size += chunk.length;
  }
  const status = await ended;
  if (status !== 0) throw new Error(`tar of ${root} ended with ${status}: ${complaint.trim()}`);
  return { digest: hash.digest('hex'), size };
}

function tarEntry(name, text) {
  const content = Buffer.from(text);
  return Buffer.concat([tarHeader(name, content.length), content, Buffer.alloc(padding(content.length))]);
}

function padding(size) {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

// A ustar header: mode 0644, owner 0, time 0. Eleven octal digits hold sizes up to 8 GiB.
function tarHeader(name, size) {
  if (size >= 8 ** 11) throw new Error(`${name} is too large for a tar header: ${size} bytes`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'utf8');
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('00000000000\0', 136, 'latin1');
  header.write('        0', 148, 'latin1');
  header.write('ustar\0' + '00', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

if (process.argv[1]?.endsWith('pack.mjs')) {
  const [root, archive, ...env] = process.argv.slice(2);
  if (archive === undefined) {
    process.stderr.write('usage: pack.mjs ROOT ARCHIVE ENV...\n');
    process.exit(64);
  }
  process.stdout.write(`${JSON.stringify(await packImage(root, archive, env))}\n`);
}
