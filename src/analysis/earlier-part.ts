import type { RawFinding } from '../core/finding.ts';
import type { OpenAiFinding } from '../core/open-finding.ts';
import type { SettledFindings } from '../findings/settle-open.ts';
import type { OpenFindingsNow } from './find-open.ts';

export interface EarlierPart {
  /** For the report: threads of these may be closed. */
  readonly resolved: readonly { readonly fingerprint: string; readonly reason: string }[];
  /** Full sentences. */
  readonly notices: readonly string[];
}

const MAX_REASON_CHARS = 500;
const MAX_NAMED = 20;

/** What the report says of earlier reviewers' findings besides those that still stand in it. Pure. */
export function toEarlierPart({ gone }: Pick<OpenFindingsNow, 'gone'>, settled: SettledFindings): EarlierPart {
  const mended = settled.mended.map(({ finding, reason }) => ({
    finding,
    reason: `the ${finding.reviewer} reviewer calls it mended: ${reason.replace(/\s+/g, ' ').trim()}`,
  }));
  const all = [...gone, ...mended].map(({ finding, reason }) => ({
    finding,
    reason: reason.slice(0, MAX_REASON_CHARS),
  }));
  const named = all.slice(0, MAX_NAMED).map(toNotice);
  const more = all.length - named.length;
  return {
    resolved: all.map(({ finding, reason }) => ({ fingerprint: finding.fingerprint, reason })),
    notices: [
      ...toCarriedNotice(settled.carried.length),
      ...named,
      ...(more > 0 ? [`${more} more findings of earlier runs are gone.`] : []),
    ],
  };
}

/** Path → findings in it. */
export function countByPath(findings: readonly RawFinding[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of findings) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

const toNotice = ({ finding, reason }: { finding: OpenAiFinding; reason: string }): string =>
  `Finding ${finding.fingerprint.slice(0, 8)} (${finding.reviewer}) of an earlier run is gone: ${reason.replace(/\.$/, '')}.`;

function toCarriedNotice(count: number): string[] {
  if (count === 0) return [];
  const [are, it] =
    count === 1 ? ['finding of a reviewer is', 'it quotes'] : ['findings of reviewers are', 'they quote'];
  return [
    `${count} ${are} carried from an earlier run: what ${it} still stands, and no reviewer reported or mended it in this run.`,
  ];
}
