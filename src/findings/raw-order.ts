import { type RawFinding, severityRank } from '../core/finding.ts';
import { GENERIC_SECRET_RULES, toolRank } from './tool-order.ts';

/**
 * A total order over raw findings: who comes first in it speaks for a merged one. By path, tool, how specific the rule
 * is, the head before history, place, and then everything else, so that two findings compare equal only when nothing tells them apart.
 */
export function compareRaw(a: RawFinding, b: RawFinding): number {
  return (
    compare(a.path, b.path) ||
    toolRank(a) - toolRank(b) ||
    compare(a.tool, b.tool) ||
    genericRank(a) - genericRank(b) ||
    compare(a.commit ?? '', b.commit ?? '') ||
    a.startLine - b.startLine ||
    compare(a.startColumn ?? 0, b.startColumn ?? 0) ||
    compare(a.matchedText.length, b.matchedText.length) ||
    compare(a.ruleId, b.ruleId) ||
    severityRank(a.severity) - severityRank(b.severity) ||
    compare(toFullText(a), toFullText(b))
  );
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const genericRank = ({ tool, ruleId }: RawFinding): number =>
  tool === 'gitleaks' && (GENERIC_SECRET_RULES as readonly string[]).includes(ruleId) ? 1 : 0;

const toFullText = (finding: RawFinding): string =>
  JSON.stringify([
    finding.endLine,
    finding.endColumn ?? 0,
    finding.confidence,
    finding.cwe,
    finding.title,
    finding.message,
    finding.matchedText,
    finding.help ?? '',
    finding.commit ?? '',
    finding.fix ?? null,
    finding.anchor ?? '',
    finding.anchorReason ?? '',
    finding.suggestion ?? '',
    finding.quote ?? '',
    finding.knownAs ?? '',
    finding.carried ?? false,
  ]);
