import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CypherFixError } from '../core/errors.ts';
import type { Request } from '../core/request.ts';
import { parseEvent } from '../event/payload.ts';
import { MAX_REPORT_BYTES, toRequest } from '../publish/read-report.ts';
import { type RunFolder, toRunFolder } from '../runner/folder.ts';
import type { Inputs } from '../runner/inputs.ts';

/** The folder of this run or, for mode publish, the one that `report-path` names. */
export function toPublishFolder(inputs: Inputs, env: NodeJS.ProcessEnv): RunFolder {
  const folder = toRunFolder(env);
  if (inputs.mode !== 'publish' || inputs.reportPath === null) return folder;
  const root = resolve(env['GITHUB_WORKSPACE'] ?? '.', inputs.reportPath);
  return {
    ...folder,
    root,
    request: join(root, 'request.json'),
    report: join(root, 'report.json'),
    sarif: join(root, 'report.sarif'),
  };
}

/** What `resolve` wrote down, for this repository and the wanted pull request; throws CypherFixError otherwise. */
export async function readRequest(folder: RunFolder, inputs: Inputs, env: NodeJS.ProcessEnv): Promise<Request> {
  const request = toRequest(await readCapped(folder.request));
  assertOurs(request, inputs, env);
  if (inputs.reportPath !== null) assertSameRun(request, env);
  return request;
}

/** A file of at most MAX_REPORT_BYTES. */
export async function readCapped(path: string): Promise<Buffer> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new CypherFixError('missing', `${path} does not exist; the step resolve writes it`);
  if (size > MAX_REPORT_BYTES) throw new CypherFixError('policy', `${path} has ${size} bytes, too many for a report`);
  return readFile(path);
}

function assertOurs(request: Request, inputs: Inputs, env: NodeJS.ProcessEnv): void {
  const here = env['GITHUB_REPOSITORY'] ?? '';
  if (request.repository.toLowerCase() !== here.toLowerCase()) {
    throw new CypherFixError('policy', `request.json is about ${request.repository}, this workflow runs in ${here}`);
  }
  const number = request.pullRequest?.number ?? null;
  if (inputs.pullRequest !== null && number !== null && number !== inputs.pullRequest) {
    throw new CypherFixError('policy', `request.json is about pull request ${number}, not ${inputs.pullRequest}`);
  }
}

/**
 * A folder that a workflow_run job unpacked may be a stranger's, and names in it whatever the stranger likes: it must be
 * about the commit of the run that started this one.
 */
function assertSameRun(request: Request, env: NodeJS.ProcessEnv): void {
  if (env['GITHUB_EVENT_NAME'] !== 'workflow_run') return;
  const payload: unknown = JSON.parse(readFileSync(env['GITHUB_EVENT_PATH'] ?? '', 'utf8'));
  const event = parseEvent('workflow_run', payload, env['GITHUB_REPOSITORY'] ?? '');
  if (event.name === 'workflow_run' && event.headSha === request.headSha) return;
  throw new CypherFixError('policy', 'request.json is about another commit than the run that started this one');
}
