import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, toMessage } from '../core/errors.ts';
import { parseEvent } from '../event/payload.ts';
import type { GitHub } from '../github/client.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { toHome, toRunFolder, toRunLabel } from '../runner/folder.ts';
import { readInputs } from '../runner/inputs.ts';
import type { CommandContext } from './context.ts';

/** All of it must fit the few seconds that the runner grants a cancelled job. */
const CHECK_WAITS = { maxSingleMs: 5000, maxTotalMs: 10_000, withoutHeaderMs: 5000, afterErrorMs: 500 };

/**
 * Last step, whatever happened before: removes this run's containers, closes a check run left in progress, removes the
 * repository and the request from the temporary folder. It knows the run by its label alone and never fails the job.
 */
export async function run(_argv: readonly string[], context: CommandContext): Promise<number> {
  const attempt = async (task: (context: CommandContext) => Promise<void>) => {
    try {
      await task(context);
    } catch (error) {
      context.log.warn(`clean-up: ${toMessage(error)}`);
    }
  };
  await Promise.all([attempt(removeContainers), attempt(closeCheck)]);
  await attempt(removeFiles);
  return EXIT.passed;
}

/** On every engine that the run may have used; one that does not answer has nothing left of ours. */
async function removeContainers(context: CommandContext): Promise<void> {
  const { env, log } = context;
  const ownRun = toRunLabel(env, '');
  if (ownRun === '') return;
  const sockets = [join(toHome(env), 'docker.sock'), '/var/run/docker.sock'].filter(existsSync).map(p => `unix://${p}`);
  const addresses = env['DOCKER_HOST'] ? [env['DOCKER_HOST']] : sockets;
  if (addresses.length === 0) return;
  const [{ connectDocker }, { parseDockerAddress }, { removeLeftovers }, { toSandboxOptions }] = await Promise.all([
    import('../sandbox/docker.ts'),
    import('../sandbox/docker-address.ts'),
    import('../sandbox/leftovers.ts'),
    import('./sandbox-options.ts'),
  ]);
  for (const address of addresses) {
    const engine = await connectDocker(parseDockerAddress(address, toSandboxOptions(context).tls));
    const removed = await removeLeftovers(engine, { log, now: Date.now(), ownRun });
    if (removed > 0) log.info(`removed ${removed} container${removed === 1 ? '' : 's'} of this run`);
  }
}

async function closeCheck(context: CommandContext): Promise<void> {
  const { env, log } = context;
  const { githubToken } = readInputs(env);
  const label = toRunLabel(env, '');
  if (githubToken === '' || label === '') return;
  const [{ createGitHub }, { parseRepositoryName }, { closeOpenCheck }] = await Promise.all([
    import('../github/client.ts'),
    import('../github/repository-name.ts'),
    import('../publish/close-open-check.ts'),
  ]);
  const gh = createGitHub({
    token: githubToken,
    apiUrl: env['GITHUB_API_URL'] || 'https://api.github.com',
    log,
    // A clean-up that is itself interrupted has nothing better to do than to end its one request.
    signal: AbortSignal.timeout(30_000),
    waits: CHECK_WAITS,
    writeSpacingMs: 0,
  });
  const repository = parseRepositoryName(env['GITHUB_REPOSITORY'] ?? '');
  for (const headSha of await listHeads(gh, repository, env)) {
    if (await closeOpenCheck(gh, repository, headSha, label))
      log.info('closed the check run that was left in progress');
  }
}

/** The head that `resolve` chose; where it broke off before it wrote that down, every head that the event can mean. */
async function listHeads(gh: GitHub, repository: RepositoryName, env: NodeJS.ProcessEnv): Promise<string[]> {
  const request = await readJson(toRunFolder(env).request);
  const chosen =
    request !== null && typeof request === 'object' ? (request as { headSha?: unknown }).headSha : undefined;
  const heads =
    typeof chosen === 'string' ? [chosen] : [await readEventHead(gh, repository, env), env['GITHUB_SHA'] ?? ''];
  return [...new Set(heads)].filter(sha => /^[0-9a-f]{40,64}$/.test(sha));
}

async function readEventHead(gh: GitHub, repository: RepositoryName, env: NodeJS.ProcessEnv): Promise<string> {
  const payload = await readJson(env['GITHUB_EVENT_PATH'] ?? '');
  if (payload === null) return '';
  const event = parseEvent(env['GITHUB_EVENT_NAME'] ?? '', payload, env['GITHUB_REPOSITORY'] ?? '');
  switch (event.name) {
    case 'pull_request':
    case 'pull_request_review_comment':
      return event.pullRequest.headSha;
    case 'merge_group':
    case 'workflow_run':
      return event.headSha;
    case 'push':
      return event.after;
    case 'issue_comment': {
      if (!event.onPullRequest) return '';
      const { fetchPullRequest } = await import('../github/pull-request.ts');
      return (await fetchPullRequest(gh, repository, event.number)).headSha;
    }
    default:
      return '';
  }
}

async function readJson(path: string): Promise<unknown> {
  if (path === '' || !existsSync(path)) return null;
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null; // a half-written file names no head
  }
}

async function removeFiles(context: CommandContext): Promise<void> {
  const folder = toRunFolder(context.env);
  for (const path of [folder.repository, folder.request]) await rm(path, { recursive: true, force: true });
}
