import type { Report, ReportFinding } from '../core/report.ts';
import { toVisibleText } from '../core/untrusted.ts';
import { isSkipped } from './ledger-file.ts';
import { SARIF_FLOW_LOCATIONS, SARIF_RESULTS } from './limits.ts';
import { CARRIED, plural, sortFindings } from './phrases.ts';
import { SARIF_LEVEL, sarifRuleId, toSarifRules } from './sarif-rules.ts';

export interface SarifOptions {
  /** Names the analysis; a later upload with the same name replaces this one. */
  readonly category?: string;
  readonly serverUrl?: string;
}

/**
 * The report as SARIF 2.1.0 in one run, within the limits of code scanning: of more than 5,000 results the worst stay
 * and a notification says how many were cut. Fingerprints are our own, so that an upload through the API needs no other.
 */
export function renderSarif(report: Report, options: SarifOptions = {}): string {
  return `${JSON.stringify(toSarif(report, options), null, 2)}\n`;
}

export function toSarif(
  report: Report,
  { category = 'cypherfix', serverUrl = 'https://github.com' }: SarifOptions = {},
): object {
  const shown = sortFindings(report.findings).slice(0, SARIF_RESULTS);
  const { rules, index } = toSarifRules(shown);
  const { repository, headSha } = report.subject;
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'CypherFix', semanticVersion: report.tool.version, version: report.tool.version, rules },
        },
        automationDetails: { id: `${category}/` },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The root of the repository.' } } },
        ...(repository === undefined
          ? {}
          : {
              versionControlProvenance: [
                {
                  repositoryUri: `${serverUrl}/${repository}`,
                  ...(headSha === undefined ? {} : { revisionId: headSha }),
                },
              ],
            }),
        invocations: [
          {
            executionSuccessful: report.ledger.complete,
            endTimeUtc: report.generatedAt,
            toolExecutionNotifications: toNotifications(report, shown.length),
          },
        ],
        results: shown.map(finding => toResult(finding, index.get(sarifRuleId(finding)) ?? 0)),
      },
    ],
  };
}

function toResult(finding: ReportFinding, ruleIndex: number): object {
  const { message, title, path, fingerprint, suppressed, confidence, id, tools, introduced, carried } = finding;
  const text = toVisibleText(message).trim() || toVisibleText(title).trim() || finding.ruleId;
  return {
    ruleId: sarifRuleId(finding),
    ruleIndex,
    level: SARIF_LEVEL[finding.severity],
    message: { text: carried === true ? `${text} (${CARRIED})` : text },
    locations: [{ physicalLocation: { artifactLocation: toArtifact(path), region: toRegion(finding) } }],
    // Code scanning matches alerts by the first name; the second says whose it is.
    partialFingerprints: { primaryLocationLineHash: fingerprint, 'cypherfix/v1': fingerprint },
    ...toCodeFlows(finding),
    ...(suppressed === undefined
      ? {}
      : { suppressions: [{ kind: 'external', status: 'accepted', justification: toVisibleText(suppressed.reason) }] }),
    ...toFixes(finding),
    properties: { id, confidence, tools, introduced, ...(carried === true ? { carried } : {}), cwe: finding.cwe },
  };
}

function toRegion({ startLine, endLine, startColumn, endColumn, snippet }: ReportFinding): object {
  const end = Math.max(startLine, endLine);
  const hasEnd = startColumn !== undefined && endColumn !== undefined && (end > startLine || endColumn >= startColumn);
  return {
    startLine,
    endLine: end,
    ...(startColumn === undefined ? {} : { startColumn }),
    ...(hasEnd ? { endColumn } : {}),
    ...(snippet === '' ? {} : { snippet: { text: toVisibleText(snippet) } }),
  };
}

function toCodeFlows({ flow }: ReportFinding): object {
  if (flow === undefined || flow.length === 0) return {};
  const locations = flow.slice(0, SARIF_FLOW_LOCATIONS).map(({ path, line, text }) => ({
    location: {
      physicalLocation: { artifactLocation: toArtifact(path), region: { startLine: line } },
      message: { text: toVisibleText(text) || path },
    },
  }));
  return { codeFlows: [{ threadFlows: [{ locations }] }] };
}

function toFixes({ fix, title }: ReportFinding): object {
  if (fix === undefined || fix.edits.length === 0) return {};
  const paths = [...new Set(fix.edits.map(edit => edit.path))];
  const artifactChanges = paths.map(path => ({
    artifactLocation: toArtifact(path),
    replacements: fix.edits
      .filter(edit => edit.path === path)
      .map(({ startLine, endLine, replacement }) => ({
        deletedRegion: { startLine, startColumn: 1, endLine: Math.max(startLine, endLine + 1), endColumn: 1 },
        insertedContent: { text: replacement === '' || replacement.endsWith('\n') ? replacement : `${replacement}\n` },
      })),
  }));
  return { fixes: [{ description: { text: toVisibleText(title) }, artifactChanges }] };
}

function toNotifications(report: Report, shown: number): object[] {
  const failed = report.scanners
    .filter(({ status }) => status === 'failed' || status === 'timed-out')
    .map(({ name, status, message }) =>
      toNotification('error', `${name} ${status}${message === undefined ? '' : `: ${message}`}`),
    );
  const cut = report.findings.length - shown;
  const skipped = report.ledger.files.filter(isSkipped).length;
  return [
    ...failed,
    ...(cut > 0
      ? [toNotification('warning', `${plural(cut, 'result')} left out: code scanning keeps ${SARIF_RESULTS} of a run.`)]
      : []),
    ...(skipped > 0 ? [toNotification('note', `${plural(skipped, 'file')} skipped.`)] : []),
    ...(report.sandbox?.insecure === true ? [toNotification('warning', 'The sandbox was not gVisor.')] : []),
  ];
}

const toNotification = (level: 'error' | 'warning' | 'note', text: string): object => ({
  level,
  message: { text: toVisibleText(text) },
});

/** Relative and percent-encoded, so that names with spaces, colons or other signs stay one path. */
const toArtifact = (path: string): object => ({
  uri: Buffer.from(path).toString('utf8').split('/').map(encodeURIComponent).join('/'),
  uriBaseId: 'SRCROOT',
});
