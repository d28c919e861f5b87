import { ApiError } from '../api-error.ts';
import { type Call, findById, type Handlers } from '../call.ts';
import { renderCommit } from '../json/commit.ts';
import { renderRepository } from '../json/repository.ts';
import { renderUser } from '../json/user.ts';
import { apiUrl, type Site, webUrl } from '../site.ts';
import type { Artifact, WorkflowRun } from '../state.ts';

const READ = ['actions:read'] as const;

export const actionsHandlers: Handlers = {
  'actions/get-workflow-run': {
    needs: READ,
    run: call => ({
      json: renderWorkflowRun(call.site, findById(call.site.state.workflowRuns, call.params['run_id'])),
    }),
  },
  'actions/list-workflow-run-artifacts': {
    needs: READ,
    run: call => listArtifacts(call, artifact => String(artifact.runId) === call.params['run_id']),
  },
  'actions/list-artifacts-for-repo': { needs: READ, run: call => listArtifacts(call, () => true) },
  'actions/get-artifact': {
    needs: READ,
    run: call => ({ json: renderArtifact(call.site, findArtifact(call)) }),
  },
  'actions/download-artifact': {
    needs: READ,
    run: call => {
      const artifact = findArtifact(call);
      if (artifact.expired) throw new ApiError(410, { message: 'Artifact has expired' });
      // The real store is another host, whose addresses carry their own key: clients must not send the token there.
      const store = call.site.url.replace('127.0.0.1', 'localhost');
      return { status: 302, headers: { location: `${store}/_artifacts/${artifact.id}.zip` } };
    },
  },
};

/** `workflow-run` of the API; the event `workflow_run` carries the same. */
export function renderWorkflowRun(site: Site, run: WorkflowRun): Record<string, unknown> {
  const api = apiUrl(site, `/actions/runs/${run.id}`);
  const workflow = apiUrl(site, '/actions/workflows/1');
  const commit = renderCommit(site, site.repo, run.headSha)['commit'] as Record<string, unknown>;
  const { author, committer, message, tree } = commit as Record<string, { date?: string; sha?: string }>;
  return {
    id: run.id,
    node_id: `WFR_${run.id}`,
    name: run.name,
    display_title: run.name,
    path: '.github/workflows/review.yml',
    run_number: 1,
    run_attempt: 1,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: 1,
    check_suite_id: 1,
    check_suite_node_id: 'CS_1',
    url: api,
    html_url: webUrl(site, `/actions/runs/${run.id}`),
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    check_suite_url: apiUrl(site, '/check-suites/1'),
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    previous_attempt_url: null,
    workflow_url: workflow,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    head_commit: { id: run.headSha, tree_id: tree?.sha ?? '', message, timestamp: author?.date, author, committer },
    // Empty for a fork: GitHub does not link a fork's run to its pull request.
    pull_requests: run.pullRequests.map(number => renderLink(site, number)),
    actor: renderUser(site, run.actor),
    triggering_actor: renderUser(site, run.actor),
    created_at: run.createdAt,
    updated_at: run.createdAt,
    run_started_at: run.createdAt,
    repository: renderRepository(site),
    head_repository: renderRepository(site, run.headRepository),
  };
}

function renderLink(site: Site, number: number): Record<string, unknown> {
  const pull = findById(
    site.state.pulls.map(row => ({ ...row, id: row.number })),
    String(number),
  );
  const { id, name, url } = renderRepository(site);
  const repo = { id, name, url };
  return {
    id: pull.id,
    number,
    url: apiUrl(site, `/pulls/${number}`),
    head: { ref: pull.headRef, sha: pull.headSha, repo },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo },
  };
}

function listArtifacts(call: Call, belongs: (artifact: Artifact) => boolean): { list: unknown[]; under: string } {
  const name = call.query.get('name');
  const found = call.site.state.artifacts.filter(
    artifact => belongs(artifact) && (name === null || artifact.name === name),
  );
  return { list: found.map(artifact => renderArtifact(call.site, artifact)), under: 'artifacts' };
}

function renderArtifact(site: Site, artifact: Artifact): Record<string, unknown> {
  const api = apiUrl(site, `/actions/artifacts/${artifact.id}`);
  const run = site.state.workflowRuns.find(candidate => candidate.id === artifact.runId);
  return {
    id: artifact.id,
    node_id: `ART_${artifact.id}`,
    name: artifact.name,
    size_in_bytes: artifact.zip.length,
    url: api,
    archive_download_url: `${api}/zip`,
    expired: artifact.expired,
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: artifact.createdAt,
    ...(run === undefined ? {} : { workflow_run: { id: run.id, head_branch: run.headBranch, head_sha: run.headSha } }),
  };
}

function findArtifact(call: Call): Artifact {
  if (call.params['archive_format'] !== undefined && call.params['archive_format'] !== 'zip') {
    throw new ApiError(404, { message: 'Not Found' });
  }
  return findById(call.site.state.artifacts, call.params['artifact_id']);
}
