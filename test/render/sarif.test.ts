import { describe, expect, it } from 'vitest';
import { renderSarif, toSarif } from '../../src/render/sarif.ts';
import { cleanReport, largeReport, pullRequestReport } from './reports.ts';
import { compileSarifSchema } from './sarif-schema.ts';

const validate = compileSarifSchema();

interface Run {
  readonly results: readonly {
    readonly ruleId: string;
    readonly ruleIndex: number;
    readonly level: string;
    readonly suppressions?: unknown;
    readonly partialFingerprints: Record<string, string>;
    readonly locations: readonly {
      physicalLocation: { artifactLocation: { uri: string }; region: Record<string, unknown> };
    }[];
  }[];
  readonly tool: {
    readonly driver: { readonly rules: readonly { id: string; properties: Record<string, unknown> }[] };
  };
  readonly automationDetails: { readonly id: string };
  readonly invocations: readonly { readonly toolExecutionNotifications: readonly { message: { text: string } }[] }[];
}
const runOf = (report: Parameters<typeof renderSarif>[0]): Run => JSON.parse(renderSarif(report)).runs[0] as Run;

describe('SARIF', () => {
  it('the schema refuses what is not SARIF', () => {
    expect(validate({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
  });

  it.each([
    ['a realistic report', pullRequestReport],
    ['a clean report', cleanReport],
    ['a large report', () => largeReport(300, 60)],
  ])('%s is valid by the official schema', (_, report) => {
    validate(JSON.parse(renderSarif(report())));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('gives every result its rule, fingerprint and place', () => {
    const report = pullRequestReport();
    const run = runOf(report);
    expect(run.results).toHaveLength(report.findings.length);
    for (const result of run.results) expect(run.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId);
    const [first] = run.results;
    expect(first?.ruleId).toBe('gitleaks/aws-access-token');
    expect(first?.partialFingerprints['cypherfix/v1']).toBe(report.findings[1]?.fingerprint);
    const spaced = run.results.find(result => result.ruleId === 'bandit/B113');
    expect(spaced?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('api/http%20client%20(v2)/fetch.py');
    expect(run.automationDetails.id).toBe('cypherfix/');
  });

  it('keeps severity and weakness in the form that code scanning reads', () => {
    const rule = runOf(pullRequestReport()).tool.driver.rules.find(({ id }) => id === 'bandit/B602');
    expect(rule?.properties).toMatchObject({ 'security-severity': '9.5', tags: ['security', 'external/cwe/cwe-78'] });
  });

  it('marks suppressed results and keeps them', () => {
    const suppressed = runOf(pullRequestReport()).results.filter(result => result.suppressions !== undefined);
    expect(suppressed.map(result => result.ruleId)).toEqual(['bandit/B608']);
  });

  it('keeps the worst 5,000 results and says how many were cut', () => {
    const run = runOf(largeReport(5_100, 3));
    expect(run.results).toHaveLength(5_000);
    expect(run.results[0]?.level).toBe('error');
    expect(run.invocations[0]?.toolExecutionNotifications.map(({ message }) => message.text)).toContain(
      '100 results left out: code scanning keeps 5000 of a run.',
    );
  });

  it('names a failed scanner', () => {
    const report = pullRequestReport();
    const scanners = report.scanners.map(s =>
      s.name === 'gosec' ? { ...s, status: 'failed' as const, message: 'exit 3' } : s,
    );
    expect(JSON.stringify(toSarif({ ...report, scanners }))).toContain('gosec failed: exit 3');
  });
});
