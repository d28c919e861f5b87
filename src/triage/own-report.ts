import type { Report } from '../core/report.ts';
import type { RepositoryContext } from '../risk/code-finding.ts';
import type { OwnFindings } from './own-findings.ts';

/**
 * The findings of a report of the whole tree, for a run. A tool has examined a file when the ledger says so; it has also
 * looked at a file that is no longer there, when it ran to its end and the ledger knows no such path. Of a report whose
 * list of findings was cut nobody can tell what is gone.
 */
export function toOwnFindings(
  report: Report,
  known: Pick<OwnFindings, 'repository' | 'closedPullRequests' | 'toId'> & { readonly context: RepositoryContext },
): OwnFindings {
  const examinedBy = new Map(report.ledger.files.map(({ path, examinedBy: tools }) => [path, tools]));
  const partial = new Set(
    report.ledger.files.flatMap(({ path, partial: parts = [] }) => parts.map(({ tool }) => `${tool} ${path}`)),
  );
  const finished = new Set(report.scanners.filter(({ status }) => status === 'ok').map(({ name }) => name));
  const isWhole = report.subject.all === true;
  const isCut = (report.truncated['findings'] ?? 0) > 0;
  return {
    ...known,
    findings: report.findings,
    hasExamined: (tool, path) => {
      if (isCut) return false;
      const tools = examinedBy.get(path);
      if (tools === undefined) return isWhole && finished.has(tool);
      return tools.includes(tool) && !partial.has(`${tool} ${path}`);
    },
  };
}
