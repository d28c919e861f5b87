import { readFileSync } from 'node:fs';
import { CypherFixError, EXIT } from '../core/errors.ts';
import { type Decision, decide } from '../event/decide.ts';
import { decideTriage } from '../event/decide-triage.ts';
import { type Event, parseEvent } from '../event/payload.ts';
import { type Inputs, readInputs } from '../runner/inputs.ts';
import { appendSummary, setOutputs } from '../runner/outputs.ts';
import type { CommandContext } from './context.ts';

/** What the action's outputs read when nothing was analysed. */
const EMPTY_OUTPUTS = { conclusion: '', gate: 'empty', findings: '0', 'report-file': '', 'sarif-file': '' };

/** Step 1: decides from the event; loads GitHub's client only when the event can apply. */
export async function run(_argv: readonly string[], context: CommandContext): Promise<number> {
  const { env } = context;
  try {
    const inputs = readInputs(env);
    const repository = required(env, 'GITHUB_REPOSITORY');
    const event = parseEvent(required(env, 'GITHUB_EVENT_NAME'), readPayload(env), repository);
    const decision =
      inputs.mode === 'publish' && inputs.reportPath !== null
        ? ({ kind: 'publish-folder' } as const)
        : decideFor(event, inputs);
    if (decision.kind === 'skip') return skip(decision.reason, context);
    const { resolveRun } = await import('./resolve-run.ts');
    const resolved = await resolveRun(decision, event, inputs, context);
    if (resolved.kind === 'skip') return skip(resolved.reason, context);
    setOutputs(env, {
      ...EMPTY_OUTPUTS,
      run: 'true',
      reason: resolved.reason,
      number: resolved.number === null ? '' : String(resolved.number),
      'head-sha': resolved.headSha,
      mode: resolved.mode,
      'test-image': resolved.testImage,
    });
    context.log.info(`CypherFix: ${resolved.reason}`);
    return EXIT.passed;
  } catch (error) {
    setOutputs(env, {
      ...EMPTY_OUTPUTS,
      gate: 'error',
      run: 'false',
      reason: 'error',
      number: '',
      'head-sha': '',
      mode: '',
      'test-image': '',
    });
    throw error;
  }
}

function decideFor(event: Event, { mode, pullRequest }: Inputs): Decision {
  const decision = decide(event, pullRequest);
  return mode === 'triage' ? decideTriage(decision, event) : decision;
}

function skip(reason: string, context: CommandContext): number {
  setOutputs(context.env, {
    ...EMPTY_OUTPUTS,
    run: 'false',
    reason,
    number: '',
    'head-sha': '',
    mode: '',
    'test-image': '',
  });
  appendSummary(context.env, `CypherFix skipped: ${reason}.\n`);
  context.log.info(`CypherFix skipped: ${reason}`);
  return EXIT.passed;
}

function readPayload(env: NodeJS.ProcessEnv): unknown {
  const path = required(env, 'GITHUB_EVENT_PATH');
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new CypherFixError('usage', `the event payload ${path} cannot be read as JSON`, { cause });
  }
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') {
    throw new CypherFixError('usage', `${name} is not set`, {
      hint: 'this command is a step of the action; on your machine use: review --repo . --base main',
    });
  }
  return value;
}
