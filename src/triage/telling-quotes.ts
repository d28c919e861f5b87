/**
 * Words with which a text speaks to or of its reviewer. No server or scanner says them of a weakness; whoever owns the
 * system that was scanned may. A quote that holds them is no evidence, whatever a model made of it.
 */
const SPEAKS_TO_REVIEWER =
  /false[\s_-]*positive|\bverdict|\breview(?:er|ers|ing)?\b|\btriage|\binstruct|\b(?:ignore|disregard|override|obey)\b|\bprompt\b|\bassistant\b|\blanguage model|\b(?:llm|gpt|claude)\b|multiplier|\bdoubtful\b|evidence_quote|disputed?_|\buntrusted\b|\bsystem\s*:|\bmark (?:this|it|all|every)|\bfindings?\b.{0,40}\b(?:safe|harmless|noise|closed?|unclear|doubtful)\b/i;

/** An address of the web in a fix would send people wherever a stranger's text wants them. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\./i;

export const speaksToReviewer = (text: string): boolean => SPEAKS_TO_REVIEWER.test(text);

export const holdsAddress = (text: string): boolean => ADDRESS.test(text);

/** The answer with every quote blanked that speaks to its reviewer, and a fix that holds an address left out. */
export function dropTellingQuotes<
  Answer extends {
    readonly impact_quote: string;
    readonly evidence_quote: string;
    readonly disputed_facts: readonly { readonly fact: string; readonly quote: string }[];
    readonly fix_lever: string;
  },
>(answer: Answer): Answer {
  return {
    ...answer,
    impact_quote: speaksToReviewer(answer.impact_quote) ? '' : answer.impact_quote,
    evidence_quote: speaksToReviewer(answer.evidence_quote) ? '' : answer.evidence_quote,
    disputed_facts: answer.disputed_facts.filter(({ quote }) => !speaksToReviewer(quote)),
    fix_lever: holdsAddress(answer.fix_lever) || speaksToReviewer(answer.fix_lever) ? '' : answer.fix_lever,
  };
}
