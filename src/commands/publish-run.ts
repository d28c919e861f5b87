import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CypherFixError, toMessage } from '../core/errors.ts';
import { NO_COST, type Report } from '../core/report.ts';
import type { Request } from '../core/request.ts';
import { redact } from '../core/secrets.ts';
import type { VerdictOrder } from '../core/verdict.ts';
import { createGitHub, type GitHub } from '../github/client.ts';
import { fetchForkReport } from '../publish/fetch-fork-report.ts';
import { publishFailure, WHAT_TO_DO } from '../publish/publish-failure.ts';
import { publishWantedIssues } from '../publish/publish-issues.ts';
import { publishMergeGroup, renderMergeGroup, toQueuedPullRequestUrl } from '../publish/publish-merge-group.ts';
import { publishReport } from '../publish/publish-report.ts';
import { publishVerdict } from '../publish/publish-verdict.ts';
import { assertBound, toReport } from '../publish/read-report.ts';
import { type PublishTarget, toTarget } from '../publish/target.ts';
import { uploadWantedSarif } from '../publish/upload-sarif.ts';
import { renderSarif } from '../render/sarif.ts';
import { renderErrorSummary } from '../render/summary.ts';
import { renderVerdict } from '../render/verdict.ts';
import type { RunFolder } from '../runner/folder.ts';
import type { Inputs } from '../runner/inputs.ts';
import type { CommandContext } from './context.ts';
import { readCapped, readRequest, toPublishFolder } from './read-request.ts';
import { NOTHING_WRITTEN, publishSafely, type RunResult, toPublished, withoutToken } from './run-result.ts';

/** Publishes what this run, or the run that it names, found. Rejects when there is no request that could be read. */
export async function publishRun(
  inputs: Inputs,
  context: CommandContext,
  connect: Connect = connectGitHub,
): Promise<RunResult> {
  const { env } = context;
  const folder = toPublishFolder(inputs, env);
  const request = await readRequest(folder, inputs, env);
  const commentKind = env['GITHUB_EVENT_NAME'] === 'pull_request_review_comment' ? 'review' : 'issue';
  const target = toTarget(request, commentKind, inputs.trustedBots);
  const gh = inputs.githubToken === '' ? null : connect(inputs.githubToken, context);
  if (request.task === 'merge-group') return mergeGroup(gh, request, target);
  try {
    return request.task === 'publish-artifact'
      ? await forkReport(gh, request, target, folder)
      : await ownReport(gh, request, target, folder, inputs, env);
  } catch (error) {
    // Refused on purpose: somebody else's report, or one that this version did not write.
    if (!(error instanceof CypherFixError) || error.code !== 'policy') throw error;
    return failure(gh, target, toMessage(error));
  }
}

async function ownReport(
  gh: GitHub | null,
  request: Request,
  target: PublishTarget,
  folder: RunFolder,
  inputs: Inputs,
  env: NodeJS.ProcessEnv,
): Promise<RunResult> {
  if (!existsSync(folder.report)) return failure(gh, target, missingReason(env));
  const report = toReport(await readCapped(folder.report));
  if (request.verdict !== null) return verdictAnswer(gh, report, request.verdict, target);
  assertBound(report, { repository: request.repository, pullRequest: target.number, headSha: target.headSha });
  return publishSafely(report, target, folder, async () => {
    if (gh === null) return withoutToken([]);
    const publication = await publishReport(gh, report, target, []);
    const notes = await uploadWantedSarif(gh, request, inputs.configPath, renderSarif(report));
    const { told, notes: more } = await publishWantedIssues(gh, request, report, inputs);
    return { ...publication, told, notes: [...publication.notes, ...notes, ...more] };
  });
}

async function verdictAnswer(
  gh: GitHub | null,
  report: Report,
  order: VerdictOrder,
  target: PublishTarget,
): Promise<RunResult> {
  const result = report.verdict;
  if (result === undefined || !result.fingerprint.startsWith(order.fingerprint)) {
    throw new CypherFixError('policy', 'report.json is about another verdict; it is not published');
  }
  const notes = gh === null ? withoutToken([]).notes : await publishVerdict(gh, result, target, order.number);
  return {
    report,
    gate: 'empty',
    published: NOTHING_WRITTEN,
    summary: ['## CypherFix: verdict', renderVerdict(result), ...notes].join('\n\n'),
    notes,
    annotations: [],
  };
}

async function forkReport(
  gh: GitHub | null,
  request: Request,
  target: PublishTarget,
  folder: RunFolder,
): Promise<RunResult> {
  if (gh === null || request.artifactRunId === null) {
    throw new CypherFixError('policy', 'a fork’s report needs a token and the run that made it');
  }
  const fork = await fetchForkReport(gh, target.repository, request.artifactRunId, request.headSha);
  await mkdir(dirname(folder.report), { recursive: true });
  await writeFile(folder.report, fork.reportBytes);
  await writeFile(folder.sarif, renderSarif(fork.report));
  const remark = `This report was made by the fork’s own run (${fork.runUrl}), which its author can alter.`;
  // Its author decides no budget, no reviewer's finding and no criterion of ours: forks have no models, so nothing is lost.
  const { resolved: _, acceptance: __, ...report } = { ...fork.report, cost: NO_COST };
  return publishSafely(report, target, folder, () =>
    publishReport(gh, report, { ...target, number: fork.number }, [remark]),
  );
}

async function failure(gh: GitHub | null, target: PublishTarget, reason: string): Promise<RunResult> {
  const publication = gh === null ? withoutToken([]) : await publishFailure(gh, target, reason);
  return {
    report: null,
    gate: 'error',
    published: toPublished(publication, null),
    summary: renderErrorSummary(reason, WHAT_TO_DO, publication.notes),
    notes: [reason, ...publication.notes],
    annotations: [],
  };
}

async function mergeGroup(gh: GitHub | null, request: Request, target: PublishTarget): Promise<RunResult> {
  const url = toQueuedPullRequestUrl(request.ref, request.serverUrl, request.repository);
  const text = renderMergeGroup(url);
  const publication = gh === null ? withoutToken([]) : await publishMergeGroup(gh, target, url);
  return {
    report: null,
    gate: 'empty',
    published: toPublished(publication, null),
    summary: [`## ✅ CypherFix: ${text.title}`, text.summary, ...publication.notes].join('\n\n'),
    notes: publication.notes,
    annotations: [],
  };
}

export type Connect = (token: string, context: CommandContext) => GitHub;

function connectGitHub(token: string, context: CommandContext): GitHub {
  const apiUrl = context.env['GITHUB_API_URL'] || 'https://api.github.com';
  return createGitHub({ token, apiUrl, log: context.log, signal: context.signal });
}

/** The error's text comes from the step that read the change: it is shown as text, cut and free of secrets. */
function missingReason(env: NodeJS.ProcessEnv): string {
  const error = redact((env['CYPHERFIX_ERROR'] ?? '').slice(0, 2000)).trim();
  const outcome = env['CYPHERFIX_ANALYZE_OUTCOME'] ?? '';
  if (outcome === 'cancelled') return 'The analysis was cancelled.';
  if (error !== '') return error;
  if (outcome === 'skipped') return 'The analysis did not start, because the sandbox could not be prepared.';
  return 'The analysis ended without a report; its log says why.';
}
