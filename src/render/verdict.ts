import { TIER_NAMES, type Tier } from '../core/risk.ts';
import { plainText } from '../core/untrusted.ts';
import { VERDICT_NAMES, type VerdictResult } from '../core/verdict.ts';

/** The answer to a verdict, for the comment and the job summary: one sentence, then a line a scope. Markdown. */
export function renderVerdict({ fingerprint, verdict, status, message, scopes }: VerdictResult): string {
  const finding = `finding \`${fingerprint.slice(0, 8)}\``;
  if (status !== 'recorded') return `Not recorded for ${finding}: ${plainText(message ?? status)}.`;
  const said =
    verdict === 'reset'
      ? `The verdict on ${finding} is taken back`
      : `Recorded: ${finding} is ${VERDICT_NAMES[verdict]}`;
  return [`${said}.`, ...scopes.map(scope => `- ${renderScope(scope)}`)].join('\n');
}

function renderScope({ scope, before, tier, score }: VerdictResult['scopes'][number]): string {
  const [, number] = /^pr\/(\d+)$/.exec(scope) ?? [];
  const where = number === undefined ? 'on the default branch' : `in pull request ${number}`;
  if (tier === null) return `${where}: not ranked yet`;
  const was = before === null || before === tier ? '' : `, before ${before}`;
  return `${where}: **${tier}** (${TIER_NAMES[tier satisfies Tier]}), score ${score ?? 0}${was}`;
}
