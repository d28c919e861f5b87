import type { ReportFinding } from '../../src/core/report.ts';

/** A finding as our reports hold it: a shell call in src/run.py that bandit reported. */
export const shellCall = (fingerprint: string, rest: Partial<ReportFinding> = {}): ReportFinding => ({
  id: fingerprint.slice(0, 8),
  fingerprint,
  origin: 'scanner',
  tool: 'bandit',
  ruleId: 'B602',
  title: 'Shell call',
  message: 'A shell is called.',
  severity: 'high',
  confidence: 0.8,
  cwe: ['CWE-78'],
  path: 'src/run.py',
  startLine: 3,
  endLine: 3,
  snippet: '',
  tools: ['bandit'],
  introduced: true,
  placement: 'inline',
  risk: null,
  mergedFrom: [],
  ...rest,
});
