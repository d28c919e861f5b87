import type { Sandbox, SandboxLimits, SnapshotEntry, Step, StepResult } from '../sandbox/sandbox.ts';
import { renderAlone } from './engine-rules.ts';
import type { RulePack } from './rule-pack.ts';
import { FOLDER, inJob } from './scanner.ts';
import { shorten } from './step-failure.ts';

const STEPS_AT_ONCE = 8;
const RULE_TIMEOUT_MS = 20_000;
const MAX_MESSAGE_BYTES = 8_192;

interface Input {
  readonly sandbox: Sandbox;
  readonly rulePack: RulePack;
  readonly limits: Pick<SandboxLimits, 'memoryMb' | 'cpus' | 'timeoutMs'>;
  readonly signal: AbortSignal;
}

/**
 * Rules that the engine refuses, with its reason. One bad rule makes it refuse the whole pack, so when a scan ended
 * that way, and only then, each rule is tried alone on an empty folder.
 */
export async function findRefusedRules(
  input: Input,
  scan: StepResult | undefined,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  if (scan === undefined || scan.exitCode === 0 || scan.exitCode === null || scan.timedOut) return refused;
  const rules = input.rulePack.rules.filter(rule => rule.engine.length > 0);
  const steps = rules.map((rule, index): Step => {
    const argv = [
      '/opt/tools/bin/ast-grep',
      'scan',
      '-r',
      inJob(`${FOLDER.config}/rules/${index}.yml`),
      inJob(`${FOLDER.config}/empty`),
    ];
    const caps = { timeoutMs: RULE_TIMEOUT_MS, maxStdoutBytes: MAX_MESSAGE_BYTES, maxStderrBytes: MAX_MESSAGE_BYTES };
    return { name: rule.id, argv, cwd: inJob(FOLDER.config), env: {}, ...caps };
  });
  const snapshot: SnapshotEntry[] = [
    { path: `${FOLDER.config}/empty/.keep`, content: Buffer.alloc(0) },
    ...rules.map((rule, index) => ({
      path: `${FOLDER.config}/rules/${index}.yml`,
      content: Buffer.from(renderAlone(rule)),
    })),
  ];
  const phases = Array.from({ length: Math.ceil(steps.length / STEPS_AT_ONCE) }, (_, at) =>
    steps.slice(at * STEPS_AT_ONCE, (at + 1) * STEPS_AT_ONCE),
  );
  const limits = { ...input.limits, maxOutputBytes: MAX_MESSAGE_BYTES * 2 * Math.max(steps.length, 1) };
  const result = await input.sandbox.run(
    { purpose: 'check rules', imageClass: 'scanners', snapshot, phases, limits },
    input.signal,
  );
  for (const rule of rules) {
    const step = result.steps.get(rule.id);
    if (step !== undefined && step.exitCode !== 0) refused.set(rule.id, toReason(step.stderr.toString('utf8')));
  }
  return refused;
}

/** The engine's last lines say what is wrong, the first only that something is. */
function toReason(stderr: string): string {
  const causes = stderr
    .split('\n')
    .map(line => line.replace(/^[\s╰▻✖>│|-]+/, '').trim())
    .filter(line => line !== '' && !/^(?:Error|Help|See also|Caused by)\b/.test(line));
  return shorten(causes.slice(-3).join('; ')) || 'refused by the engine';
}
