import { ApiError, notFound } from '../api-error.ts';
import { type Call, findById, type Handlers } from '../call.ts';
import { renderAnnotation, renderCheckRun } from '../json/check-run.ts';
import { timestamp } from '../site.ts';
import type { Annotation, CheckRun } from '../state.ts';
import { ACTIONS_APP_ID } from '../tokens.ts';

interface Output {
  title?: string;
  summary: string;
  text?: string;
  annotations?: Annotation[];
}
interface WriteCheck {
  name?: string;
  head_sha?: string;
  external_id?: string;
  details_url?: string;
  status?: string;
  conclusion?: string;
  started_at?: string;
  completed_at?: string;
  output?: Output;
}

const READ = ['checks:read'] as const;
const WRITE = ['checks:write'] as const;
const MAX_DETAIL_BYTES = 65_536;
const MAX_TITLE_CHARS = 255;

export const checkHandlers: Handlers = {
  'checks/create': { needs: WRITE, run: call => ({ json: renderCheckRun(call.site, createCheck(call)) }) },
  'checks/update': { needs: WRITE, run: call => ({ json: renderCheckRun(call.site, updateCheck(call)) }) },
  'checks/get': { needs: READ, run: call => ({ json: renderCheckRun(call.site, findCheck(call)) }) },
  'checks/list-annotations': {
    needs: READ,
    run: call => {
      const run = findCheck(call);
      return { list: run.annotations.map(annotation => renderAnnotation(call.site, run, annotation)) };
    },
  },
  'checks/list-for-ref': {
    needs: READ,
    run: call => {
      const sha = call.repo.sha(call.params['ref'] ?? '');
      if (sha === undefined) throw new ApiError(422, { message: `No commit found for SHA: ${call.params['ref']}` });
      const { query } = call;
      const found = call.site.state.checkRuns.filter(
        run =>
          run.headSha === sha &&
          (query.get('check_name') ?? run.name) === run.name &&
          (query.get('status') ?? run.status) === run.status &&
          Number(query.get('app_id') ?? run.appId) === run.appId,
      );
      const runs = query.get('filter') === 'all' ? found : found.filter(run => isLatest(found, run));
      return { list: runs.toReversed().map(run => renderCheckRun(call.site, run)), under: 'check_runs' };
    },
  },
};

function createCheck(call: Call): CheckRun {
  const { site, token } = call;
  requireApp(call);
  const body = call.body as WriteCheck;
  const headSha = call.repo.sha(body.head_sha ?? '');
  if (headSha === undefined) throw new ApiError(422, { message: `No commit found for SHA: ${body.head_sha}` });
  const run: CheckRun = {
    id: site.state.nextId(),
    appId: token.appId,
    name: body.name ?? '',
    headSha,
    externalId: null,
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: timestamp(site),
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    annotations: [],
  };
  apply(call, run, body);
  site.state.checkRuns.push(run);
  return run;
}

function updateCheck(call: Call): CheckRun {
  requireApp(call);
  const run = findCheck(call);
  if (run.appId !== call.token.appId) {
    const message = `Invalid app_id \`${call.token.appId}\` - check run can only be modified by the GitHub App that created it.`;
    throw new ApiError(403, { message });
  }
  apply(call, run, call.body as WriteCheck);
  return run;
}

/** Annotations are added to those that the run has; all else is overwritten. */
function apply(call: Call, run: CheckRun, body: WriteCheck): void {
  // GitHub's own description cannot express this rule for creation.
  if (body.status === 'completed' && body.conclusion === undefined) {
    throw new ApiError(422, { message: 'Invalid request.\n\nFor "completed", "conclusion" wasn\'t supplied.' });
  }
  checkAnnotations(body.output?.annotations ?? []);
  if (body.name !== undefined) run.name = body.name;
  if (body.external_id !== undefined) run.externalId = body.external_id;
  if (body.details_url !== undefined && run.appId !== ACTIONS_APP_ID) run.detailsUrl = body.details_url;
  if (body.started_at !== undefined) run.startedAt = body.started_at;
  if (body.status !== undefined) run.status = body.status;
  if (body.conclusion !== undefined) {
    run.status = 'completed';
    run.conclusion = body.conclusion;
    run.completedAt = body.completed_at ?? timestamp(call.site);
  } else if (body.status !== undefined) {
    run.conclusion = null;
    run.completedAt = null;
  }
  if (body.output !== undefined) {
    run.title = body.output.title ?? run.title;
    run.summary = body.output.summary;
    run.text = body.output.text ?? run.text;
    run.annotations.push(...(body.output.annotations ?? []));
  }
}

function checkAnnotations(annotations: Annotation[]): void {
  for (const annotation of annotations) {
    const { start_line: start, end_line: end, start_column: column } = annotation;
    const long = [annotation.message, annotation.raw_details ?? ''].some(
      text => Buffer.byteLength(text) > MAX_DETAIL_BYTES,
    );
    const problem =
      (end < start && 'end_line must not be before start_line') ||
      (column !== undefined && start !== end && 'columns are only allowed on one line') ||
      ((annotation.title ?? '').length > MAX_TITLE_CHARS && 'title is too long') ||
      (long && 'message or raw_details exceeds 64 KB');
    if (problem !== false) throw new ApiError(422, { message: `Invalid request.\n\nannotations: ${problem}.` });
  }
}

function requireApp(call: Call): void {
  if (call.token.kind !== 'app') throw new ApiError(403, { message: 'You must authenticate via a GitHub App.' });
}

function findCheck(call: Call): CheckRun {
  if (!/^\d+$/.test(call.params['check_run_id'] ?? '')) throw notFound();
  return findById(call.site.state.checkRuns, call.params['check_run_id']);
}

function isLatest(runs: CheckRun[], run: CheckRun): boolean {
  return runs.findLast(other => other.name === run.name && other.appId === run.appId) === run;
}
