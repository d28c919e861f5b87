import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inputVariable } from '../src/runner/inputs.ts';
import { listSources, readSource } from './imports.ts';

interface Step {
  readonly id: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const text = readFileSync(new URL('../action.yml', import.meta.url), 'utf8');
const action = parse(text) as Action;
const steps = action.runs.steps;
const step = (id: string): Step => {
  const found = steps.find(s => s.id === id);
  if (found === undefined) throw new Error(`action.yml has no step ${id}`);
  return found;
};
const OUTPUTS = [
  'conclusion',
  'gate',
  'findings',
  'top-tier',
  'score',
  'cost-usd',
  'review-url',
  'check-url',
  'report-file',
  'sarif-file',
  'fix-urls',
];

test('the steps stand in their order', () => {
  expect(steps.map(s => s.id)).toEqual(['resolve', 'runtime', 'prepare', 'analyze', 'upload', 'publish', 'cleanup']);
  expect(step('cleanup').if).toBe('always()');
});

describe('inputs', () => {
  test.each(Object.keys(action.inputs))('%s is handed to a step and read by the code', name => {
    const variable = inputVariable(name);
    const mapped = steps.filter(s => s.env?.[variable] === `\${{ inputs.${name} }}`);
    expect(mapped.length).toBeGreaterThan(0);
    const readers = listSources().filter(path => path.startsWith('runner/') && readSource(path).includes(`'${name}'`));
    expect(readers.length).toBeGreaterThan(0);
  });

  test('nothing else is mapped', () => {
    const known = new Set(Object.keys(action.inputs).map(inputVariable));
    const mapped = steps.flatMap(s => Object.keys(s.env ?? {})).filter(name => name.startsWith('INPUT_'));
    expect(mapped.filter(name => !known.has(name))).toEqual([]);
  });

  test('every input says what it does', () => {
    for (const input of Object.values(action.inputs)) expect(input.description.length).toBeGreaterThan(20);
  });
});

test('the outputs are those of the contract', () => {
  expect(Object.keys(action.outputs)).toEqual(OUTPUTS);
  for (const name of OUTPUTS) expect(action.outputs[name]?.value).toContain(`steps.publish.outputs.${name}`);
});

describe('trust', () => {
  const secrets = (s: Step) => JSON.stringify([s.env ?? {}, s.with ?? {}, s.if ?? '']);

  test.each(['prepare', 'analyze'])('%s gets no GitHub token, also where the job has one', id => {
    expect(secrets(step(id))).not.toMatch(/github-token|github\.token|secrets\./);
    expect(step(id).env).toMatchObject({ GITHUB_TOKEN: '', GH_TOKEN: '' });
  });

  test("the runner's cache token goes to prepare alone", () => {
    const holders = steps.filter(s => secrets(s).includes('steps.runtime.outputs.token')).map(s => s.id);
    expect(holders).toEqual(['prepare']);
  });

  test('only resolve, publish and cleanup hold the write token', () => {
    const holders = steps.filter(s => secrets(s).includes('inputs.github-token')).map(s => s.id);
    expect(holders).toEqual(['resolve', 'publish', 'cleanup']);
  });

  test('analyze cannot write to the cache', () => {
    expect(step('analyze').env).toMatchObject({ ACTIONS_RUNTIME_TOKEN: '' });
  });

  test('keys of models and what stands for one go to analyze alone', () => {
    const names = Object.keys(action.inputs).filter(name => /^(anthropic|openai|openrouter|model)-/.test(name));
    expect(names).toHaveLength(9);
    for (const name of names) {
      const holders = steps.filter(s => secrets(s).includes(`inputs.${name} `)).map(s => s.id);
      expect(holders, name).toEqual(['analyze']);
    }
  });
});

describe('form', () => {
  test.each(steps.filter(s => s.run !== undefined).map(s => [s.id, s] as const))(
    '%s is one process that gets the signals, with nothing pasted into the shell',
    (id, s) => {
      expect(s.run).toBe(`exec node "$GITHUB_ACTION_PATH/dist/index.js" ${id}`);
      expect(s.run).not.toContain('${{');
      expect(s.shell).toBe('bash');
    },
  );

  test('every action is pinned by commit', () => {
    const uses = steps.flatMap(s => (s.uses === undefined ? [] : [s.uses]));
    expect(uses.length).toBeGreaterThan(0);
    for (const name of uses) expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  test('nothing after resolve runs for an event that does not apply', () => {
    for (const s of steps) {
      if (s.id !== 'resolve' && s.id !== 'cleanup') expect(s.if).toContain("steps.resolve.outputs.run == 'true'");
    }
  });
});

describe('the workflow that the README shows', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const blocks = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(m => parse(m[1] ?? ''));
  const workflow = blocks.find(b => b?.name === 'CypherFix');
  const job = workflow?.jobs?.review;

  test('starts on every event that the code decides about', () => {
    expect(Object.keys(workflow.on).sort()).toEqual(
      [
        'issue_comment',
        'merge_group',
        'pull_request',
        'pull_request_review_comment',
        'push',
        'schedule',
        'workflow_dispatch',
      ].sort(),
    );
    expect(workflow.on.pull_request.types).toEqual([
      'opened',
      'reopened',
      'ready_for_review',
      'synchronize',
      'labeled',
    ]);
  });

  test('groups by event and pull request, and lets only a new push cancel', () => {
    expect(workflow.concurrency).toBeUndefined();
    for (const part of [
      'github.event_name',
      'pull_request.number',
      'issue.number',
      'merge_group.head_sha',
      'comment.id',
    ]) {
      expect(job.concurrency.group).toContain(part);
    }
    expect(job.concurrency['cancel-in-progress']).toContain("github.event.action == 'synchronize'");
  });

  test('asks for no more than it says', () => {
    expect(workflow.permissions).toEqual({});
    expect(job.permissions).toEqual({ contents: 'read', issues: 'read', 'pull-requests': 'write', checks: 'write' });
    for (const name of Object.keys(job.permissions)) expect(readme).toContain(`| \`${name}: `);
  });
});
