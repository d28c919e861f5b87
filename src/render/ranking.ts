import type { Report, ReportFinding } from '../core/report.ts';
import { TIER_NAMES, TIERS } from '../core/risk.ts';
import { codeSpan, plainText } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { toDetails } from './report-sections.ts';

const MAX_ROWS = 20;
const BAR_WIDTH = 24;

type Ranked = ReportFinding & { readonly risk: NonNullable<ReportFinding['risk']> };

/** The ranking as a picture: findings by tier, and of the first ones the factors with their evidence. */
export function renderRanking(report: Report): string {
  const ranked = report.findings.filter(isRanked);
  if (ranked.length === 0) return '';
  return `### Ranking\n\n${renderTiers(ranked)}\n\n${renderFactors(ranked)}`;
}

const isRanked = (finding: ReportFinding): finding is Ranked =>
  finding.risk !== null && finding.suppressed === undefined;

function renderTiers(ranked: readonly Ranked[]): string {
  const rows = TIERS.map(tier => {
    const count = ranked.filter(finding => finding.risk.tier === tier).length;
    return `| ${tier} ${TIER_NAMES[tier]} | ${count} | ${toBar(count / ranked.length)} |`;
  });
  return ['| Tier | Findings | |', '| --- | ---: | :--- |', ...rows].join('\n');
}

/** Some findings are never drawn as none. */
function toBar(share: number): string {
  const length = share === 0 ? 0 : Math.max(1, Math.round(share * BAR_WIDTH));
  return length === 0 ? '' : codeSpan('█'.repeat(length));
}

function renderFactors(ranked: readonly Ranked[]): string {
  const rows = [...ranked]
    .sort((a, b) => b.risk.score - a.risk.score)
    .slice(0, MAX_ROWS)
    .map(({ id, risk, tool, ruleId, path, startLine }) => {
      const factors = (['C', 'L', 'I', 'R'] as const).map(
        name => `${risk[name].value.toFixed(2)} ${plainText(cutCodePoints(risk[name].evidence, 160))}`,
      );
      // A pipe ends the cell even inside code.
      const place = plainText(cutCodePoints(`${path}:${startLine}`, 120));
      const rule = plainText(cutCodePoints(`${tool} ${ruleId}`, 80));
      return `| ${codeSpan(id)} | ${plainText(risk.tier)} | ${risk.score.toFixed(1)} | ${place} ${rule} | ${factors.join(' | ')} |`;
    });
  const table = [
    '| Finding | Tier | Score | Where | Real | Exploited | Impact | Reach |',
    '| --- | --- | ---: | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
  const title = ranked.length > rows.length ? `Why: the first ${rows.length} of ${ranked.length}` : 'Why';
  return toDetails(title, table);
}
