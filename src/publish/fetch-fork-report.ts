import { CypherFixError } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import { type Artifact, downloadArtifact, listArtifacts } from '../github/artifacts.ts';
import type { GitHub } from '../github/client.ts';
import { listPullRequestsOfHead } from '../github/pull-request.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import { fetchWorkflowRun } from '../github/workflow-run.ts';
import { assertBound, toReport } from './read-report.ts';

export interface ForkReport {
  readonly report: Report;
  readonly reportBytes: Buffer;
  readonly number: number;
  readonly headSha: string;
  /** The run that made it. */
  readonly runUrl: string;
}

/**
 * The report that a fork's run left as an artefact, bound to what GitHub itself says about that run: which commit it
 * had as head and which open pull request has that head now. Numbers inside the artefact only choose among those.
 * Rejects with CypherFixError when there is none or it is about something else.
 */
export async function fetchForkReport(
  gh: GitHub,
  repository: RepositoryName,
  runId: number,
  expectedHeadSha: string,
): Promise<ForkReport> {
  const run = await fetchWorkflowRun(gh, repository, runId);
  if (run.event !== 'pull_request') refuse(`workflow run ${runId} was started by '${run.event}'`);
  if (run.headSha !== expectedHeadSha) refuse(`workflow run ${runId} is about another commit`);
  if (run.headOwner === null) refuse(`the fork of workflow run ${runId} is gone`);
  const head = { owner: run.headOwner, branch: run.headBranch, sha: run.headSha };
  const numbers = await listPullRequestsOfHead(gh, repository, head);
  if (numbers.length === 0) refuse(`no open pull request has ${run.headSha.slice(0, 12)} as its head any more`);
  const artifact = newest(await listArtifacts(gh, repository, runId), `cypherfix-${run.headSha}`);
  if (artifact === undefined) refuse(`workflow run ${runId} left no artefact cypherfix-${run.headSha}`);
  const members = await downloadArtifact(gh, repository, artifact, ['report.json']);
  const reportBytes = members.get('report.json');
  if (reportBytes === undefined) refuse(`artefact ${artifact.name} has no report.json`);
  const report = toReport(reportBytes);
  const number = numbers.find(n => n === report.subject.pullRequest);
  if (number === undefined) refuse('report.json is about another pull request; it is not published');
  assertBound(report, {
    repository: `${repository.owner}/${repository.repo}`,
    pullRequest: number,
    headSha: run.headSha,
  });
  return {
    report,
    reportBytes,
    number,
    headSha: run.headSha,
    runUrl: run.url,
  };
}

const newest = (artifacts: readonly Artifact[], name: string): Artifact | undefined =>
  artifacts.filter(a => a.name === name && !a.expired).sort((a, b) => b.id - a.id)[0];

function refuse(reason: string): never {
  throw new CypherFixError('policy', reason);
}
