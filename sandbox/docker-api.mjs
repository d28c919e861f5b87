// Talks to a Docker Engine over its unix socket with node: built-ins only, since set-up runs before node_modules exist.
// usage: node docker-api.mjs ping SOCKET | node docker-api.mjs load SOCKET ARCHIVE
import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { pathToFileURL } from 'node:url';

/**
 * One API call; resolves with the status and the whole body as text, rejects when the engine does not answer in `timeout` ms.
 * `body` is a readable stream or undefined.
 */
export function callEngine(socketPath, method, path, { body, timeout = 5000 } = {}) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/x-tar' };
    const call = request({ socketPath, method, path, headers, timeout }, response => {
      const chunks = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }));
      response.on('error', reject);
    });
    call.on('timeout', () =>
      call.destroy(new Error(`the engine at ${socketPath} did not answer ${method} ${path} within ${timeout} ms`)),
    );
    call.on('error', reject);
    if (body === undefined) call.end();
    else body.on('error', error => call.destroy(error)).pipe(call);
  });
}

/** Loads an image archive. The engine reports a failed load in the body of a 200 answer, so that body is read too. */
export async function loadImage(socketPath, archive) {
  const answer = await callEngine(socketPath, 'POST', '/images/load?quiet=1', {
    body: createReadStream(archive),
    timeout: 600_000,
  });
  const failure = answer.text.split('\n').find(line => line.includes('"error"'));
  if (answer.status !== 200 || failure !== undefined) {
    throw new Error(`docker load of ${archive} failed (${answer.status}): ${(failure ?? answer.text).trim()}`);
  }
}

/** The engine's description of an image, or undefined when it has none of that id. */
export async function inspectImage(socketPath, id) {
  const answer = await callEngine(socketPath, 'GET', `/images/${encodeURIComponent(id)}/json`);
  if (answer.status === 404) return undefined;
  if (answer.status !== 200)
    throw new Error(`image ${id}: the engine answered ${answer.status}: ${answer.text.trim()}`);
  return JSON.parse(answer.text);
}

async function run([command, socketPath, archive]) {
  if (command === 'ping' && socketPath !== undefined) {
    const answer = await callEngine(socketPath, 'GET', '/_ping', { timeout: 3000 });
    if (answer.status !== 200) throw new Error(`the engine answered ${answer.status}`);
  } else if (command === 'load' && archive !== undefined) {
    await loadImage(socketPath, archive);
  } else {
    throw new Error('usage: docker-api.mjs ping SOCKET | load SOCKET ARCHIVE');
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  run(process.argv.slice(2)).catch(error => {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 69;
  });
}
