import { isGrounded, type RawFinding, type Severity, worstSeverity } from '../core/finding.ts';
import { normalisePath, toFamily, toRuleKey } from './identity.ts';
import { createPlaceIndex, type Group, type PlaceIndex } from './place-index.ts';
import { compareRaw } from './raw-order.ts';
import { toWeakness } from './tool-order.ts';

/** Several tools' reports of one weakness at one place. */
export interface MergedFinding {
  /** The report that speaks: its rule, text and range are shown. */
  readonly primary: RawFinding;
  /** Every raw finding in it, the primary first, duplicates of one tool included. */
  readonly members: readonly RawFinding[];
  readonly tools: readonly string[];
  readonly severity: Severity;
  readonly confidence: number;
  readonly cwe: readonly string[];
  readonly path: string;
  /** First and last line that any member marks. */
  readonly span: { readonly start: number; readonly end: number };
}

/**
 * Puts raw findings of one place and one weakness together; each raw finding is a member of exactly one result. The
 * order of the input does not matter. Sorted by path, then place.
 */
export function mergeFindings(raw: readonly RawFinding[]): MergedFinding[] {
  const groups: Group[] = [];
  const byPath = new Map<string, PlaceIndex>();
  for (const finding of raw.map(withNormalPath).sort(compareRaw)) {
    let index = byPath.get(finding.path);
    if (index === undefined) {
      index = createPlaceIndex();
      byPath.set(finding.path, index);
    }
    let group = index.sameReport(finding) ?? closestGroup(index.near(finding), finding);
    if (group === undefined) {
      group = { primary: finding, members: [] };
      groups.push(group);
    }
    group.members.push(finding);
    index.add(group, finding);
  }
  return groups.map(toMerged).sort((a, b) => compareText(a.path, b.path) || a.span.start - b.span.start);
}

/** True for what an earlier run found and nothing in this one reported. */
export const isCarried = ({ members }: MergedFinding): boolean => members.every(member => member.carried === true);

/**
 * Agreement of independent tools takes 30 % of the doubt that is left, for each further one; 0.99 at most. Tools of one
 * family (bandit and ruff hold the same rules) are no second opinion, nor are several reviewers.
 */
export function agreedConfidence(members: readonly RawFinding[]): number {
  const best = Math.max(...members.map(member => Math.min(1, Math.max(0, member.confidence))));
  const families = new Set(members.map(toVoice)).size;
  if (families < 2) return best;
  return Math.max(best, Math.min(0.99, Math.round((1 - (1 - best) * 0.7 ** (families - 1)) * 1_000) / 1_000));
}

const toVoice = ({ origin, tool }: RawFinding): string => (origin === 'reviewer' ? 'reviewers' : toFamily(tool));

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function withNormalPath(finding: RawFinding): RawFinding {
  const path = normalisePath(finding.path);
  return path === finding.path ? finding : { ...finding, path };
}

/** How a finding may join a group, best first. */
const FIT = { sameRule: 0, sameWeakness: 1 } as const;

function closestGroup(groups: Iterable<Group>, finding: RawFinding): Group | undefined {
  let best: { group: Group; rank: readonly number[] } | undefined;
  for (const group of groups) {
    const fit = fitOf(group, finding);
    if (fit === undefined) continue;
    const { primary } = group;
    const rank = [fit, Math.abs(primary.startLine - finding.startLine), columnDistance(primary, finding)];
    if (best === undefined || isBefore(rank, best.rank)) best = { group, rank };
  }
  return best?.group;
}

const isBefore = (a: readonly number[], b: readonly number[]): boolean => {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value < (b[index] ?? 0);
  return false;
};

function fitOf({ primary, members }: Group, finding: RawFinding): number | undefined {
  if (primary.commit !== finding.commit || !linesOverlap(primary, finding)) return undefined;
  if (primary.anchor === 'none' || finding.anchor === 'none') return undefined;
  if (finding.tool === 'gitleaks' && primary.tool === 'gitleaks')
    return columnsOverlap(primary, finding) ? FIT.sameRule : undefined;
  // One tool's two reports of a place are two findings: they say different things or mark different spots.
  if (members.some(member => member.tool === finding.tool)) return undefined;
  const relative = members.find(member => toFamily(member.tool) === toFamily(finding.tool));
  if (relative !== undefined)
    return toRuleKey(relative.tool, relative.ruleId) === toRuleKey(finding.tool, finding.ruleId)
      ? FIT.sameRule
      : undefined;
  return finding.cwe.some(cwe => primary.cwe.some(other => toWeakness(other) === toWeakness(cwe)))
    ? FIT.sameWeakness
    : undefined;
}

const linesOverlap = (a: RawFinding, b: RawFinding): boolean =>
  a.startLine <= Math.max(b.endLine, b.startLine) && b.startLine <= Math.max(a.endLine, a.startLine);

/** True also where a column is not known. Last columns are exclusive. */
function columnsOverlap(a: RawFinding, b: RawFinding): boolean {
  if (a.startLine !== a.endLine || b.startLine !== b.endLine) return true;
  if (a.startColumn === undefined || b.startColumn === undefined) return true;
  return a.startColumn < (b.endColumn ?? b.startColumn + 1) && b.startColumn < (a.endColumn ?? a.startColumn + 1);
}

const columnDistance = (a: RawFinding, b: RawFinding): number =>
  a.startColumn === undefined || b.startColumn === undefined ? 0 : Math.abs(a.startColumn - b.startColumn);

function toMerged({ primary, members }: Group): MergedFinding {
  return {
    primary,
    members,
    tools: [...new Set(members.map(member => member.tool))],
    severity: severityOf(primary, members),
    confidence: agreedConfidence(members),
    cwe: [...new Set(members.flatMap(member => member.cwe))],
    path: primary.path,
    span: {
      start: Math.min(...members.map(member => member.startLine)),
      end: Math.max(...members.map(member => Math.max(member.startLine, member.endLine))),
    },
  };
}

/** Beside a scanner, a model that guesses raises nothing. */
function severityOf(primary: RawFinding, members: readonly RawFinding[]): Severity {
  const speaking = primary.origin === 'reviewer' ? members : members.filter(isGrounded);
  return speaking.map(member => member.severity).reduce(worstSeverity, primary.severity);
}
