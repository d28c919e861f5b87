import type { RawFinding } from '../core/finding.ts';
import { normaliseText } from './identity.ts';

/** A merged finding in the making; the primary is its first member. */
export interface Group {
  readonly primary: RawFinding;
  readonly members: RawFinding[];
}

/** The groups of one file, found by place, so that a file with tens of thousands of findings is merged in good time. */
export interface PlaceIndex {
  add(group: Group, member: RawFinding): void;
  /** The group that holds this very report already: same tool, rule and place, or the same secret in history. */
  sameReport(finding: RawFinding): Group | undefined;
  /** Groups whose primary may overlap the finding's lines, in the order they were added. */
  near(finding: RawFinding): Iterable<Group>;
}

const BLOCK_LINES = 16;
const MAX_BLOCKS = 64;
/** Groups looked at for one finding; only minified lines have more, and what lies beyond stays apart. */
const MAX_CANDIDATES = 200;

export function createPlaceIndex(): PlaceIndex {
  const reports = new Map<string, Group>();
  const blocks = new Map<number, Set<Group>>();
  const all = new Set<Group>();
  const wide = new Set<Group>();

  return {
    add(group, member) {
      reports.set(toReportKey(member), group);
      const secret = toSecretKey(member);
      if (secret !== undefined && !reports.has(secret)) reports.set(secret, group);
      if (all.has(group)) return;
      all.add(group);
      const covered = blocksOf(group.primary);
      if (covered === undefined) wide.add(group);
      for (const block of covered ?? []) {
        const groups = blocks.get(block);
        if (groups === undefined) blocks.set(block, new Set([group]));
        else groups.add(group);
      }
    },
    sameReport(finding) {
      const same = reports.get(toReportKey(finding));
      if (same !== undefined || finding.commit === undefined) return same;
      return reports.get(toSecretKey(finding) ?? '');
    },
    *near(finding) {
      const covered = blocksOf(finding);
      const sets = covered === undefined ? [all] : [...covered.map(block => blocks.get(block) ?? []), wide];
      const seen = new Set<Group>();
      for (const groups of sets) {
        for (const group of groups) {
          if (seen.has(group)) continue;
          if (seen.size >= MAX_CANDIDATES) return;
          seen.add(group);
          yield group;
        }
      }
    },
  };
}

/** A reviewer's finding without a place is told apart by its text alone. */
const toReportKey = ({ tool, ruleId, startLine, startColumn, commit, anchor, matchedText }: RawFinding): string =>
  JSON.stringify([tool, ruleId, startLine, startColumn ?? 0, commit ?? '', anchor === 'none' ? matchedText : null]);

/** One secret that several commits hold, or that a commit and the head hold, is one finding. */
const toSecretKey = ({ tool, ruleId, matchedText }: RawFinding): string | undefined =>
  tool === 'gitleaks' ? JSON.stringify([ruleId, normaliseText(matchedText)]) : undefined;

/** Numbers of the blocks of lines that a finding touches; undefined where they are too many. */
function blocksOf({ startLine, endLine }: RawFinding): number[] | undefined {
  const first = Math.floor(startLine / BLOCK_LINES);
  const last = Math.floor(Math.max(startLine, endLine) / BLOCK_LINES);
  if (last - first >= MAX_BLOCKS) return undefined;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
