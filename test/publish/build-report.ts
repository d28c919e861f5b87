import { createHash } from 'node:crypto';
import { NO_COST, parseReport, type Report, type ReportFinding } from '../../src/core/report.ts';
import { Request } from '../../src/core/request.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** A finding whose identity is its name; inline, introduced and high unless told otherwise. */
export function buildFinding(name: string, change: Partial<ReportFinding> = {}): ReportFinding {
  const fingerprint = hash(name);
  return {
    id: fingerprint.slice(0, 8),
    fingerprint,
    origin: 'scanner',
    tool: 'ast-grep',
    ruleId: `rule-${name}`,
    title: `Title of ${name}`,
    message: `Message of ${name}.`,
    severity: 'high',
    confidence: 0.9,
    cwe: ['CWE-95'],
    path: 'src/a.js',
    startLine: 2,
    endLine: 2,
    snippet: 'eval(x)',
    tools: ['ast-grep'],
    introduced: true,
    placement: 'inline',
    risk: null,
    mergedFrom: [{ tool: 'ast-grep', ruleId: `rule-${name}`, id: fingerprint.slice(0, 8) }],
    ...change,
  };
}

export interface ReportChange {
  readonly headSha: string;
  readonly number?: number | null;
  readonly findings?: readonly ReportFinding[];
  readonly change?: Partial<Report>;
}

/** A report as `analyze` writes it, checked against the schema. */
export function buildReport({ headSha, number = 7, findings = [], change = {} }: ReportChange): Report {
  const paths = new Set(['src/a.js', ...findings.map(f => f.path)]);
  const tripped = findings.some(f => f.introduced && f.suppressed === undefined && f.severity === 'high');
  return parseReport({
    schemaVersion: 1,
    tool: { name: 'cypherfix', version: '0.1.0' },
    generatedAt: '2026-11-30T12:00:00Z',
    subject: {
      repository: 'octo/repo',
      ...(number === null ? { all: true } : { pullRequest: number }),
      headSha,
      baseSha: 'b'.repeat(40),
      mergeBaseSha: 'b'.repeat(40),
    },
    request: { kind: 'review', trigger: 'pull_request.opened' },
    conclusion: tripped ? 'failure' : 'success',
    gate: { tripped, reasons: tripped ? ['1 high'] : [] },
    ledger: {
      files: [...paths].map(path => ({ path, status: 'modified', examinedBy: ['ast-grep', 'eslint', 'gitleaks'] })),
      complete: true,
    },
    scanners: ['ast-grep', 'eslint', 'gitleaks'].map(name => ({
      name,
      version: '1.0.0',
      status: 'ok',
      filesExamined: paths.size,
      findings: findings.length,
      durationMs: 100,
    })),
    findings,
    suppressionsAddedByChange: [],
    cost: NO_COST,
    fixes: [],
    sandbox: null,
    timings: {},
    truncated: {},
    notices: [],
    ...change,
  });
}

/** A request as `resolve` writes it, checked against the schema. */
export function buildRequest(headSha: string, change: Partial<Request> = {}): Request {
  return Request.parse({
    schemaVersion: 1,
    task: 'review',
    verdict: null,
    triage: null,
    request: { kind: 'review', trigger: 'pull_request.opened', actor: 'alice' },
    repository: 'octo/repo',
    private: false,
    defaultBranch: 'main',
    serverUrl: 'https://github.test',
    runId: '4242',
    runAttempt: 1,
    pullRequest: {
      number: 7,
      title: 'Change',
      body: '',
      author: 'alice',
      fork: false,
      headRef: 'feature',
      baseRef: 'main',
      url: 'https://github.test/octo/repo/pull/7',
    },
    headSha,
    baseSha: 'b'.repeat(40),
    mergeBaseSha: 'b'.repeat(40),
    restricted: false,
    checkRunId: null,
    checkRefusal: null,
    ref: 'refs/pull/7/head',
    artifactRunId: null,
    openFindings: [],
    openFindingsUnread: null,
    spentUsd: 0,
    acceptanceHead: null,
    ...change,
  });
}
