import { NO_COST, type Report } from './report.ts';
import { TOOL } from './version.ts';

/** A report of a run that examines nothing: success, with no finding and no file. */
export const toEmptyReport = ({
  subject,
  request,
  generatedAt,
}: Pick<Report, 'subject' | 'request' | 'generatedAt'>): Report => ({
  schemaVersion: 1,
  tool: { ...TOOL },
  generatedAt,
  subject,
  request,
  conclusion: 'success',
  gate: { tripped: false, reasons: [] },
  ledger: { files: [], complete: true },
  scanners: [],
  findings: [],
  suppressionsAddedByChange: [],
  cost: NO_COST,
  fixes: [],
  sandbox: null,
  timings: {},
  truncated: {},
  notices: [],
});
