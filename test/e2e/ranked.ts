import { inject } from 'vitest';
import { parseReport, type Report } from '../../src/core/report.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { makeProject, type TestProject } from '../graph/project.ts';
import { type WorkflowEvent, workflowDispatchEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { type Job, type JobOptions, runJob } from './run-job.ts';
import { FAULTY, startShop } from './shop.ts';

/** The inputs that lead to the server of the test run. */
export const graphInputs = (): Record<string, string> => {
  const { uri, user, password } = inject('neo4j');
  return { 'neo4j-uri': uri, 'neo4j-user': user, 'neo4j-password': password };
};

/** The policy that names the project; `more` are further keys of `triage`, `rest` further sections. */
export const toPolicy = ({ tenant: { projectId, userId } }: TestProject, more = '', rest = ''): string =>
  `version: 1\ntriage: { project: ${projectId}, user: ${userId}${more} }\n${rest}`;

export interface RankedOptions {
  readonly private?: boolean;
  readonly more?: string;
  readonly rest?: string;
}

/** A repository with findings in old.py on its default branch, and a project of its own that its policy names. */
export async function startRanked(graph: Graph, options: RankedOptions = {}) {
  const project = makeProject(graph);
  const github = await startShop({
    settings: { private: options.private ?? true },
    files: { '.cypherfix.yml': toPolicy(project, options.more, options.rest), 'old.py': FAULTY },
  });
  github.setRole('writer', 'write');
  return { github, project };
}

export const dispatch = (github: GitHub): WorkflowEvent => workflowDispatchEvent(github, {}, 'writer');

/** A job in mode triage. */
export const triage = (
  github: GitHub,
  options: JobOptions = {},
  event: WorkflowEvent = dispatch(github),
): Promise<Job> =>
  runJob(github, event, { ...options, inputs: { mode: 'triage', ...graphInputs(), ...options.inputs } });

export const reportOf = (job: Job): Report => parseReport(JSON.parse(String(job.files['report.json'])));
