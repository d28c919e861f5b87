import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowEvent } from './events.ts';
import type { GitHub } from './github.ts';

export interface RunnerOptions {
  /** Inputs by the action's names; they become `INPUT_<NAME>` as the runner spells it, hyphens kept. */
  inputs?: Record<string, string>;
  /** Further variables, and variables to overwrite; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** The job has `id-token: write`. */
  idToken?: boolean;
  runId?: number;
  attempt?: number;
  job?: string;
  /** Folder of the action, GITHUB_ACTION_PATH; default this repository. */
  actionPath?: string;
}

export interface Runner {
  /** Environment of every step of the composite: nothing of the test's own but PATH. */
  env: Record<string, string>;
  temp: string;
  workspace: string;
  eventPath: string;
  /** Removes everything that the job left on disk. */
  dispose(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The variables and folders that a hosted Linux runner gives to a `run:` step of a composite action. */
export function runnerEnvironment(github: GitHub, event: WorkflowEvent, options: RunnerOptions = {}): Runner {
  const directory = mkdtempSync(join(tmpdir(), 'sim-runner-'));
  const at = (name: string) => {
    const path = join(directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const temp = at('_temp');
  const workspace = at(`${github.name}/${github.name}`);
  const eventPath = join(at('_temp/_github_workflow'), 'event.json');
  writeFileSync(eventPath, JSON.stringify(event.payload));
  const folders = {
    HOME: at('home'),
    GITHUB_WORKSPACE: workspace,
    GITHUB_EVENT_PATH: eventPath,
    RUNNER_TEMP: temp,
    RUNNER_TOOL_CACHE: at('_tool'),
    RUNNER_WORKSPACE: join(directory, github.name),
  };
  const inputs = Object.entries(options.inputs ?? {}).map(([name, value]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    value,
  ]);
  const env = {
    PATH: process.env['PATH'] ?? '',
    CI: 'true',
    ...folders,
    ...describeRun(github, event, options),
    ...(options.idToken === true ? idTokenVariables(github) : {}),
    ...Object.fromEntries(inputs),
    ...options.env,
  };
  const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const dispose = () => rm(directory, { recursive: true, force: true });
  return { env: Object.fromEntries(set), temp, workspace, eventPath, dispose };
}

function describeRun(github: GitHub, event: WorkflowEvent, options: RunnerOptions): Record<string, string> {
  const { state, settings } = github;
  const workflowRef = `refs/heads/${settings.defaultBranch}`;
  return {
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__cypherfix',
    GITHUB_ACTION_PATH: options.actionPath ?? REPOSITORY,
    GITHUB_ACTION_REPOSITORY: '',
    GITHUB_ACTION_REF: '',
    GITHUB_ACTOR: event.actor,
    GITHUB_ACTOR_ID: String(state.user(event.actor).id),
    GITHUB_TRIGGERING_ACTOR: event.actor,
    GITHUB_API_URL: github.url,
    GITHUB_GRAPHQL_URL: `${github.url}/graphql`,
    GITHUB_SERVER_URL: github.url,
    GITHUB_REPOSITORY: github.fullName,
    GITHUB_REPOSITORY_ID: String(state.user(github.fullName).id),
    GITHUB_REPOSITORY_OWNER: github.owner,
    GITHUB_REPOSITORY_OWNER_ID: String(state.user(github.owner).id),
    GITHUB_EVENT_NAME: event.name,
    GITHUB_SHA: event.sha,
    GITHUB_REF: event.ref,
    GITHUB_REF_NAME: event.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_HEAD_REF: event.headRef,
    GITHUB_BASE_REF: event.baseRef,
    GITHUB_JOB: options.job ?? 'review',
    GITHUB_RUN_ID: String(options.runId ?? 9_000_001),
    GITHUB_RUN_NUMBER: '1',
    GITHUB_RUN_ATTEMPT: String(options.attempt ?? 1),
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_WORKFLOW: 'Review',
    GITHUB_WORKFLOW_REF: `${github.fullName}/.github/workflows/review.yml@${workflowRef}`,
    GITHUB_WORKFLOW_SHA: event.sha,
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: process.arch === 'arm64' ? 'ARM64' : 'X64',
    RUNNER_NAME: 'Simulated Runner 1',
    RUNNER_ENVIRONMENT: 'github-hosted',
  };
}

function idTokenVariables(github: GitHub): Record<string, string> {
  const source = github.createIdTokenSource();
  return { ACTIONS_ID_TOKEN_REQUEST_URL: source.url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: source.token };
}
