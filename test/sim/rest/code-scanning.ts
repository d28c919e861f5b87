import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { ApiError } from '../api-error.ts';
import { type Call, findById, type Handlers, type Reply } from '../call.ts';
import { checkSarif } from '../sarif.ts';
import { apiUrl } from '../site.ts';
import type { SarifUpload } from '../state.ts';

const MAX_GZIP_BYTES = 10 * 1024 * 1024;

interface UploadSarif {
  commit_sha: string;
  ref: string;
  sarif: string;
}

export const codeScanningHandlers: Handlers = {
  'code-scanning/upload-sarif': { needs: ['security-events:write'], run: upload },
  'code-scanning/get-sarif': {
    needs: ['security-events:read'],
    run: call => {
      const sarif = findById(call.site.state.sarifs, call.params['sarif_id']);
      sarif.polls += 1;
      return { json: renderStatus(call, sarif) };
    },
  },
};

function upload(call: Call): Reply {
  const body = call.body as UploadSarif;
  if (!/^refs\/(heads|tags|pull)\/.*$/.test(body.ref)) {
    throw new ApiError(422, {
      message: `Invalid request.\n\nref "${body.ref}" does not match /^refs\\/(heads|tags|pull)\\/.*$/.`,
    });
  }
  if (call.repo.sha(body.commit_sha) === undefined) throw new ApiError(404, { message: 'commit not found' });
  const bytes = Buffer.from(body.sarif, 'base64');
  if (bytes.length > MAX_GZIP_BYTES) throw new ApiError(413, { message: 'SARIF upload is too large' });
  const { document, problem } = decode(bytes);
  if (problem !== undefined) throw new ApiError(400, { message: problem });
  const { errors, kept } = checkSarif(document);
  const { state } = call.site;
  const id = randomUUID();
  state.sarifs.push({ id, commitSha: body.commit_sha, ref: body.ref, document, errors, kept, polls: 0 });
  return { status: 202, json: { id, url: apiUrl(call.site, `/code-scanning/sarifs/${id}`) } };
}

function renderStatus(call: Call, sarif: SarifUpload): Record<string, unknown> {
  if (sarif.polls <= 1) return { processing_status: 'pending' };
  const analyses_url = apiUrl(call.site, `/code-scanning/analyses?sarif_id=${sarif.id}`);
  if (sarif.errors.length === 0) return { processing_status: 'complete', analyses_url, errors: null };
  return { processing_status: 'failed', analyses_url, errors: sarif.errors };
}

function decode(bytes: Buffer): { document: unknown; problem?: string } {
  let text: string;
  try {
    text = gunzipSync(bytes).toString('utf8');
  } catch {
    return { document: undefined, problem: 'Invalid SARIF: not gzip data in base64' };
  }
  try {
    return { document: JSON.parse(text) as unknown };
  } catch {
    return { document: undefined, problem: 'Invalid SARIF: not JSON' };
  }
}
