import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import { NO_COST, parseReport } from '../../src/core/report.ts';
import { redact } from '../../src/core/secrets.ts';
import { buildLedger } from '../../src/findings/build-ledger.ts';
import { fingerprintFindings } from '../../src/findings/fingerprint.ts';
import { toGate } from '../../src/findings/gate.ts';
import { namesRule } from '../../src/findings/identity.ts';
import { markIntroduced } from '../../src/findings/introduced.ts';
import { mergeFindings } from '../../src/findings/merge.ts';
import { overrideSeverity } from '../../src/findings/override-severity.ts';
import { placeFindings } from '../../src/findings/place.ts';
import { planTwinScan } from '../../src/findings/plan-twin-scan.ts';
import { quietFindings } from '../../src/findings/quiet.ts';
import { toReportFindings } from '../../src/findings/to-report-finding.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { applySuppressions } from '../../src/policy/suppressions.ts';
import { anyRaw, change, file } from './builders.ts';

const on = change([
  file('a.py', [{ start: 1, lines: ' ++- ' }]),
  file('src/b.py', [{ start: 2, lines: '+ +' }], { status: 'renamed', previousPath: 'src/old.py' }),
]);
const policy = parsePolicy(
  new TextEncoder().encode(
    'suppress: [{ rule: js-eval, reason: no input reaches it }]\nscanners: { rules: { severity: { G204: low } } }\n',
  ),
);

/** All steps in the order of the pipeline. */
async function review(raw: readonly RawFinding[], twins: readonly RawFinding[]) {
  const merged = mergeFindings(overrideSeverity(raw, policy.scanners.rules.severity));
  const plan = await planTwinScan(merged, on, async () => ({ status: 'ok', bytes: Buffer.from('f(x) g( y )') }));
  const planned = new Set(plan.files.map(({ basePath }) => basePath));
  const marked = markIntroduced(
    fingerprintFindings(merged),
    on,
    twins.filter(twin => planned.has(twin.path)),
  );
  const { findings: suppressed, notices } = applySuppressions(marked, {
    entries: policy.suppress,
    disabledRules: policy.scanners.rules.disable,
    today: '2026-11-30',
    namesRule,
  });
  const placed = placeFindings(quietFindings(suppressed), on, {
    maxInlineComments: policy.review.max_inline_comments,
    contextLines: policy.review.context_lines,
  });
  const scanners = [
    { name: 'ruff', version: '0.17.6', status: 'ok' as const, filesExamined: 2, findings: raw.length, durationMs: 5 },
  ];
  const both = new Map([
    ['a.py', ['ruff']],
    ['src/b.py', ['ruff']],
  ]);
  const ledger = buildLedger({ change: on, scanners, taken: both, examined: both });
  const gate = toGate({ findings: placed, change: on, ledger, scanners, failOn: policy.gate.fail_on });
  const { findings, truncated } = toReportFindings(placed, redact);
  return parseReport({
    schemaVersion: 1,
    tool: { name: 'cypherfix', version: '0.1.0' },
    generatedAt: '2026-11-30T12:00:00Z',
    subject: { headSha: on.headSha },
    request: { kind: 'review', trigger: 'local' },
    conclusion: gate.conclusion,
    gate: gate.gate,
    ledger,
    scanners,
    findings,
    suppressionsAddedByChange: [],
    cost: NO_COST,
    fixes: [],
    sandbox: null,
    timings: {},
    truncated,
    notices: [...notices, ...gate.notices],
  });
}

describe('the whole way from raw findings to the report', () => {
  const sets = fc.array(anyRaw, { maxLength: 16 });

  it('gives a valid report that names every raw finding, whatever comes in', async () => {
    await fc.assert(
      fc.asyncProperty(sets, sets, async (raw, before) => {
        const report = await review(
          raw,
          before.map(twin => (twin.path === 'src/b.py' ? { ...twin, path: 'src/old.py' } : twin)),
        );
        const named = new Set(
          report.findings.flatMap(finding =>
            finding.mergedFrom.map(from => `${finding.path} ${from.tool} ${from.ruleId}`),
          ),
        );
        for (const one of raw) expect(named).toContain(`${one.path} ${one.tool} ${one.ruleId}`);
        const tripping = report.findings.filter(
          finding =>
            finding.introduced && finding.suppressed === undefined && ['critical', 'high'].includes(finding.severity),
        );
        expect(report.conclusion).toBe(tripping.length > 0 ? 'failure' : 'success');
        for (const finding of tripping) expect(report.gate.reasons.join('\n')).toContain(finding.id);
        expect(
          report.findings.every(finding => finding.placement === 'inline' || finding.placementReason !== undefined),
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('does not depend on the order in which tools answered', async () => {
    await fc.assert(
      fc.asyncProperty(sets, async raw => {
        expect(await review([...raw].reverse(), [])).toEqual(await review(raw, []));
      }),
      { numRuns: 100 },
    );
  });
});
