import { writeFileSync } from 'node:fs';
import { CypherFixError } from '../core/errors.ts';
import type { Request } from '../core/request.ts';
import type { Decision } from '../event/decide.ts';
import type { Event } from '../event/payload.ts';
import { createGitHub } from '../github/client.ts';
import { fetchRepository, type Repository } from '../github/repository.ts';
import { parseRepositoryName } from '../github/repository-name.ts';
import { ensureRunFolder } from '../runner/folder.ts';
import type { Inputs } from '../runner/inputs.ts';
import { type Asked, acknowledge, answerHelp, refuse, refuseWithoutPermission } from './answer.ts';
import type { CommandContext } from './context.ts';
import { NO_ISSUES, readLinkedIssues } from './read-linked-issues.ts';
import { NO_PAST, readPast } from './read-past.ts';
import { readReviewTarget } from './read-review-target.ts';
import { resolveTree } from './resolve-tree.ts';
import type { Common, Resolving } from './resolving.ts';
import { startCheck } from './start-check.ts';
import { toTestImage } from './test-image.ts';

export type Applying = Exclude<Decision, { kind: 'skip' }> | { readonly kind: 'publish-folder' };

/** What `resolve` says to the steps after it. */
export type Resolved =
  | { readonly kind: 'skip'; readonly reason: string }
  | {
      readonly kind: 'run';
      readonly reason: string;
      readonly number: number | null;
      readonly headSha: string;
      readonly mode: string;
      /** Class of the image in which tests of the repository are to run; empty where none are. */
      readonly testImage: string;
    };

/** Everything of `resolve` that needs GitHub: permission, live state, the commits, request.json. */
export async function resolveRun(
  decision: Applying,
  event: Event,
  inputs: Inputs,
  context: CommandContext,
): Promise<Resolved> {
  const { env } = context;
  if (decision.kind === 'publish-folder') {
    return {
      kind: 'run',
      reason: 'publishing an earlier report',
      number: inputs.pullRequest,
      headSha: '',
      mode: 'publish',
      testImage: '',
    };
  }
  const repository = parseRepositoryName(env['GITHUB_REPOSITORY'] ?? '');
  const gh = createGitHub({
    token: inputs.githubToken,
    apiUrl: env['GITHUB_API_URL'] || 'https://api.github.com',
    log: context.log,
    signal: context.signal,
  });
  const resolving: Resolving = { gh, repository, event, inputs, context };
  if ('permissionOf' in decision && decision.permissionOf !== null) {
    const refusal = await refuseWithoutPermission(resolving, toAsked(decision), decision.permissionOf);
    if (refusal !== null) return { kind: 'skip', reason: refusal };
  }
  if (decision.kind === 'refuse') {
    return { kind: 'skip', reason: await refuse(resolving, toAsked(decision), decision.reason) };
  }
  if (decision.kind === 'help') {
    await answerHelp(resolving, toAsked(decision));
    return { kind: 'skip', reason: 'help was asked for' };
  }
  const facts = await fetchRepository(gh, repository);
  const common = toCommon(facts, context);
  if (decision.kind === 'review') return resolveReview(resolving, decision, common);
  if (decision.kind === 'verdict') {
    const { resolveVerdict } = await import('./resolve-verdict.ts');
    const asked = await resolveVerdict(resolving, decision, common);
    if ('refused' in asked) return { kind: 'skip', reason: await refuse(resolving, toAsked(decision), asked.refused) };
    save(asked, context);
    const { number } = decision;
    return { kind: 'run', reason: 'recording a verdict', number, headSha: '', mode: 'verdict', testImage: '' };
  }
  const request =
    decision.kind === 'whole-tree'
      ? await resolveTree(resolving, decision, common)
      : toPublishRequest(decision, event, common);
  save(request, context);
  const isPublish = decision.kind !== 'whole-tree';
  return {
    kind: 'run',
    reason: isPublish ? `answering ${event.name}` : `examining the whole tree at ${request.headSha.slice(0, 12)}`,
    number: null,
    headSha: request.headSha,
    mode: isPublish ? 'publish' : inputs.mode,
    testImage: '',
  };
}

async function resolveReview(
  resolving: Resolving,
  decision: Extract<Decision, { kind: 'review' }>,
  common: Common,
): Promise<Resolved> {
  const { event, inputs, context } = resolving;
  if (decision.comment !== null) await acknowledge(resolving, decision.comment, 'eyes');
  const target = await readReviewTarget(resolving, decision);
  if (target.kind === 'skip') {
    return { kind: 'skip', reason: await refuse(resolving, decision, target.reason) };
  }
  const check = await startCheck(resolving, target.headSha);
  const restricted = decision.restricted ?? (target.pullRequest.fork || target.authorIsBot);
  const [commits, issues, past] = await Promise.all([
    target.fetchCommits(),
    restricted || target.policy === null ? NO_ISSUES : readLinkedIssues(resolving, target.pullRequest, target.policy),
    readPast(resolving, decision.number),
  ]);
  save(
    {
      ...common,
      task: 'review',
      request: {
        kind: 'review',
        trigger: decision.trigger,
        ...(event.sender === null ? {} : { actor: event.sender.login }),
        ...(decision.comment === null ? {} : { commentId: decision.comment.id }),
        ...(decision.label === null ? {} : { label: decision.label }),
      },
      pullRequest: target.pullRequest,
      ...commits,
      restricted,
      ...check,
      ...issues,
      ref: `refs/pull/${decision.number}/head`,
      artifactRunId: null,
      verdict: null,
      triage: null,
      ...past,
      // Whoever asks for all of it gets the issues compared once more.
      acceptanceHead: decision.full ? null : past.acceptanceHead,
    },
    context,
  );
  return {
    kind: 'run',
    reason: `reviewing pull request ${decision.number} at ${target.headSha.slice(0, 12)}`,
    number: decision.number,
    headSha: target.headSha,
    mode: inputs.mode,
    testImage: restricted || target.policy === null ? '' : toTestImage(target.policy, issues.issues.length > 0),
  };
}

function toPublishRequest(
  decision: Extract<Decision, { kind: 'merge-group' | 'publish-artifact' }>,
  event: Event,
  common: Common,
): Request {
  return {
    ...common,
    task: decision.kind,
    request: {
      kind: 'review',
      trigger: event.name === 'other' ? event.eventName : event.name,
      ...(event.sender === null ? {} : { actor: event.sender.login }),
    },
    pullRequest: null,
    headSha: decision.headSha,
    baseSha: null,
    mergeBaseSha: null,
    restricted: true,
    ...NO_ISSUES,
    checkRunId: null,
    checkRefusal: null,
    ref: event.name === 'merge_group' ? event.headRef : '',
    artifactRunId: decision.kind === 'publish-artifact' ? decision.runId : null,
    verdict: null,
    triage: null,
    ...NO_PAST,
  };
}

const toAsked = (decision: Applying): Asked => ({
  number: 'number' in decision ? decision.number : null,
  comment: 'comment' in decision ? decision.comment : null,
  label: 'label' in decision ? decision.label : null,
});

function toCommon(facts: Repository, { env }: CommandContext): Common {
  return {
    schemaVersion: 1,
    repository: env['GITHUB_REPOSITORY'] ?? '',
    private: facts.private,
    defaultBranch: facts.defaultBranch,
    serverUrl: (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, ''),
    runId: env['GITHUB_RUN_ID'] ?? '',
    runAttempt: Number(env['GITHUB_RUN_ATTEMPT'] || '1'),
  };
}

function save(request: Request, context: CommandContext): void {
  const folder = ensureRunFolder(context.env);
  try {
    writeFileSync(folder.request, `${JSON.stringify(request, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new CypherFixError('missing', `${folder.request} cannot be written`, { cause });
  }
}
