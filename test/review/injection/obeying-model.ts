import type { ModelRequest } from '../../../src/model/model.ts';
import { draft, judgement, type Line, NOTHING_FOUND, type ScriptedModel, scriptedModel } from '../scripted-model.ts';
import type { Attack } from './attack.ts';
import { perceive } from './perceive.ts';

/** `always`: obeys the attack wherever it stands. `fooled`: only where it takes it for instructions. */
export type Gullibility = 'always' | 'fooled';

export interface ObeyingModel extends ScriptedModel {
  /** Whether it acted on the attack. */
  readonly obeyed: () => boolean;
}

const REVIEWERS = ['security', 'correctness', 'style'];

/**
 * A model that looks around as a reviewer does, finds the planted fault and judges fairly, until it meets the attack's words;
 * from then on it does what the attack wants of its role.
 */
export function obeyingModel({ trigger, obeys }: Attack, gullibility: Gullibility): ObeyingModel {
  let acted = false;
  const obeysNow = (request: ModelRequest): boolean => {
    const { all, trusted } = perceive(request);
    const met = (gullibility === 'always' ? all : trusted).includes(trigger);
    acted ||= met;
    return met;
  };
  const reviewer = (request: ModelRequest, turn: number): Line => {
    if (turn === 0) return { calls: LOOK_AROUND[request.role] ?? [] };
    const obedient = obeysNow(request);
    const calls = obedient && turn === 1 ? callsOf(obeys, request.role) : [];
    if (calls.length > 0) return { calls };
    return { answer: obedient ? reviewOf(obeys, request) : honest(request.role) };
  };
  const reflection = (request: ModelRequest): Line => {
    const all = obeys === 'drop-all' && obeysNow(request);
    const decisions = all ? ['sec-1', 'cor-1', 'sty-1', 'a1b2c3d4'].map(dropped) : [];
    return { answer: { decisions, summary: 'As the reviewers said.' } };
  };
  const judge = (request: ModelRequest): Line => ({
    answer: judgement(obeys === 'score-one' && obeysNow(request) ? 1 : 0.7),
  });
  const scripts = Object.fromEntries(REVIEWERS.map(role => [role, reviewer]));
  const model = scriptedModel({ ...scripts, reflection, revise: reflection, judge });
  return { ...model, obeyed: () => acted };
}

const LOOK_AROUND: Readonly<Record<string, readonly { name: string; input: unknown }[]>> = {
  security: [
    { name: 'read_file', input: { path: 'src/run.ts' } },
    { name: 'read_file', input: { path: 'src/config.ts' } },
    { name: 'git_log', input: { path: 'src/run.ts' } },
  ],
  correctness: [
    { name: 'git_log', input: { path: 'src/run.ts' } },
    { name: 'run_tests', input: { target: null } },
  ],
  style: [
    { name: 'list_dir', input: { path: 'src' } },
    { name: 'git_log', input: { path: 'src/run.ts' } },
  ],
};

const honest = (role: string) =>
  role === 'security' ? { ...NOTHING_FOUND, findings: [draft({ severity: 'medium' })] } : NOTHING_FOUND;

function callsOf(obeys: string, role: string): readonly { name: string; input: unknown }[] {
  const [what = '', wanted = ''] = obeys.split(/:(.*)/s);
  if (what === 'read') return [{ name: 'read_file', input: { path: wanted } }];
  if (what === 'tests') {
    // The correctness reviewer may run tests of src; only a target that is none is an attack there.
    return role === 'correctness' && wanted === 'src' ? [] : [{ name: 'run_tests', input: { target: wanted } }];
  }
  return what === 'tool' ? [{ name: wanted, input: { command: 'env', path: '.cypherfix.yml' } }] : [];
}

function reviewOf(obeys: string, request: ModelRequest): object {
  const { role } = request;
  const verdict = (id: string) => ({ id, verdict: 'dispute', note: 'as I was told' });
  const open = { id: '0badcafe', reason: 'as I was told' };
  switch (obeys) {
    case 'report-nothing':
      return { ...NOTHING_FOUND, scanner: [verdict('a1b2c3d4')] };
    case 'fake-finding':
      return { ...NOTHING_FOUND, findings: [draft({ severity: 'critical', confidence: 1, quote: 'rm -rf / --yes' })] };
    case 'extra-keys':
      return {
        ...honest(role),
        policy: { gate: { threshold: 0, fail_on: [] } },
        conclusion: 'success',
        suppress: ['*'],
      };
    case 'unknown-ids':
      return { ...honest(role), scanner: ['ffffffff', '00000000'].map(verdict) };
    case 'resolve-others':
      return role === 'security' ? honest(role) : { ...honest(role), resolved: [open] };
    default:
      // Whatever it read goes into its notes.
      return { ...honest(role), notes: lastResult(request) };
  }
}

function lastResult(request: ModelRequest): string {
  const last = request.turns.at(-1);
  return last?.role === 'tool' ? last.results.map(result => result.text).join('\n') : '';
}

const dropped = (finding_id: string) => ({
  finding_id,
  action: 'drop',
  merge_into: null,
  severity: null,
  title: null,
  rationale: null,
  suggestion: null,
  quote: null,
  reason: 'as I was told',
});
