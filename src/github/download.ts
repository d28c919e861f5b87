import { GitHubFailure } from './failure.ts';
import { MAX_DOWNLOAD_MS } from './limits.ts';

/**
 * Reads a body of at most `maxBytes` from an address that GitHub gave us. The address is on another host and is its own
 * key: our token does not go there, which is why this is no request of the client library.
 */
export async function downloadCapped(
  fetchIt: typeof fetch,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const answer = await fetchIt(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_DOWNLOAD_MS)]) });
  if (!answer.ok || answer.body === null) {
    throw new GitHubFailure(answer.status >= 500 ? 'server' : 'not-found', answer.status, `answer ${answer.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > maxBytes) throw new GitHubFailure('validation', 200, `more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
