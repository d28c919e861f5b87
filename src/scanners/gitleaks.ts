import { z } from 'zod';
import type { Severity } from '../core/finding.ts';
import type { StepResult } from '../sandbox/sandbox.ts';
import type { ParsedScan, ScanContext, Scanner, ScanPlan, ToolFinding } from './scanner.ts';
import { FOLDER, failedScan, inJob, toJobPath } from './scanner.ts';
import { readReport, stepFailure } from './step-failure.ts';

const Report = z.array(
  z.object({
    RuleID: z.string(),
    Description: z.string(),
    StartLine: z.number().int(),
    EndLine: z.number().int(),
    StartColumn: z.number().int(),
    EndColumn: z.number().int(),
    File: z.string(),
  }),
);
type Leak = z.infer<typeof Report>[number];

/** Rules that match any assignment to a telling name; all others know the form of their secret. */
const GENERIC: Readonly<Record<string, { severity: Severity; confidence: number }>> = {
  'generic-api-key': { severity: 'medium', confidence: 0.5 },
  'kubernetes-secret-yaml': { severity: 'medium', confidence: 0.5 },
  'curl-auth-user': { severity: 'medium', confidence: 0.6 },
  'curl-auth-header': { severity: 'medium', confidence: 0.6 },
  jwt: { severity: 'medium', confidence: 0.6 },
  'jwt-base64': { severity: 'medium', confidence: 0.6 },
  'hashicorp-tf-password': { severity: 'medium', confidence: 0.6 },
  'sourcegraph-access-token': { severity: 'medium', confidence: 0.4 },
};

export const gitleaks: Scanner = {
  name: 'gitleaks',
  languages: [],
  lineStyle: 'git',
  columns: 'byte',
  plan: planGitleaks,
  parse: parseGitleaks,
};

function planGitleaks(context: ScanContext): ScanPlan {
  const argv = [
    '/opt/tools/bin/gitleaks',
    'dir',
    // The parent of all copies: gitleaks obeys a .gitleaksignore or .gitleaks.toml that lies in the folder it is given.
    inJob(FOLDER.secrets),
    '--no-banner',
    '--no-color',
    // The log names the number of bytes read, which shows files left out.
    '-l',
    'info',
    '-c',
    '/opt/tools/gitleaks.toml',
    '-i',
    '/nonexistent',
    '--ignore-gitleaks-allow',
    '--redact=100',
    '-f',
    'json',
    '-r',
    '-',
    '--exit-code',
    '0',
  ];
  return { steps: [{ name: 'gitleaks', argv }], canaries: [secretCanary(context)], files: [] };
}

/** Put together here so that no scanner of our own source takes it for a secret. */
function secretCanary(context: ScanContext): { path: string; content: string } {
  const token = ['ghp', '_', 'Zk3Vq9Lm2Xw8Rt5Yp7', 'Nb4Hc6Df1Gs0JaTuWe'].join('');
  return { path: `${FOLDER.secrets}/${context.canaryFolder}/canary.txt`, content: `\ntoken = "${token}"\n` };
}

/** Extension of gitleaks' copy: what its rules with a path condition look for, else neutral. */
export function secretsExtension(path: string): string {
  const found = /(?:^|[/.])(nuget\.config|php|tf|hcl|ya?ml|p12|pfx)$/i.exec(path);
  return found?.[1] === undefined ? 'txt' : found[1].toLowerCase();
}

/** Key stores are binary files that a rule finds by name. */
export const isKeyStore = (path: string): boolean => /\.(?:p12|pfx)$/i.test(path);

function parseGitleaks(results: ReadonlyMap<string, StepResult>): ParsedScan {
  const result = results.get('gitleaks');
  const failure = stepFailure(result, [0]);
  if (result === undefined || failure !== undefined) return failedScan(failure ?? 'no result');
  const report = readReport(Report, result.stdout);
  if ('failure' in report) return failedScan(report.failure);
  const bytes = /scanned ~(\d+) bytes/.exec(result.stderr.toString('utf8'))?.[1];
  if (bytes === undefined)
    return { ...failedScan('did not say how much it read'), findings: report.value.map(toFinding) };
  return { findings: report.value.map(toFinding), bytesExamined: Number(bytes), partial: new Map() };
}

function toFinding(leak: Leak): ToolFinding {
  const { severity, confidence } = GENERIC[leak.RuleID] ?? { severity: 'high' as const, confidence: 0.9 };
  // Each copy has one line more in front, and gitleaks counts columns from the line feed before the line.
  const hasColumns = leak.StartColumn > 1 && leak.EndColumn >= leak.StartColumn;
  return {
    ruleId: leak.RuleID,
    title: `Secret in the code: ${leak.RuleID}`,
    message: leak.Description,
    severity,
    confidence,
    cwe: ['CWE-798'],
    help: 'Revoke the secret, since everyone who can read the history has it; then read it from the environment or a secret store.',
    jobPath: toJobPath(leak.File),
    startLine: Math.max(leak.StartLine - 1, 1),
    endLine: Math.max(leak.EndLine - 1, 1),
    ...(hasColumns ? { startColumn: leak.StartColumn - 1, endColumn: leak.EndColumn } : {}),
  };
}
