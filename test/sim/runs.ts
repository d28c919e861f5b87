import { type Site, timestamp } from './site.ts';
import type { Artifact, PullRequest, WorkflowRun } from './state.ts';
import { zipFiles } from './zip.ts';

/** Other runs of workflows, and what they left behind. */
export interface Runs {
  /** A finished run for a pull request's head. GitHub links it to the pull request only when that is no fork's. */
  addWorkflowRun(pull: PullRequest, run?: Partial<WorkflowRun>): WorkflowRun;
  /** An artifact of a run; `content` is a file list, or the archive's own bytes. */
  addArtifact(run: WorkflowRun, name: string, content: Record<string, string | Buffer> | Buffer): Artifact;
}

export function createRuns(site: Site): Runs {
  const { state } = site;
  return {
    addWorkflowRun: (pull, given = {}) => {
      const run: WorkflowRun = {
        id: state.nextId(),
        name: 'Review',
        event: 'pull_request',
        headBranch: pull.headRef,
        headSha: pull.headSha,
        headRepository: pull.headRepository,
        status: 'completed',
        conclusion: 'success',
        actor: pull.author,
        pullRequests: pull.headRepository === site.fullName ? [pull.number] : [],
        createdAt: timestamp(site),
        ...given,
      };
      state.workflowRuns.push(run);
      return run;
    },
    addArtifact: (run, name, content) => {
      const zip = Buffer.isBuffer(content) ? content : zipFiles(content);
      const artifact = { id: state.nextId(), name, runId: run.id, zip, expired: false, createdAt: timestamp(site) };
      state.artifacts.push(artifact);
      return artifact;
    },
  };
}
