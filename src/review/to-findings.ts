import type { Anchor } from './anchor.ts';
import type { FindingDraft } from './answers.ts';
import { toShare } from './answers.ts';
import type { ReviewerFinding, ReviewerName } from './outcome.ts';

/** Cleans a text that a model wrote: secrets masked, nothing hidden. */
export type CleanText = (text: string) => string;

/** Finds the place of a quote. */
export type PlaceQuote = (path: string, quote: string) => Promise<Anchor>;

export const MAX_FINDINGS_PER_REVIEWER = 50;
const MAX_TITLE_CHARS = 200;
const MAX_TEXT_CHARS = 4_000;
const MAX_QUOTE_CHARS = 2_000;
const MAX_EVIDENCE = 10;
const MAX_EVIDENCE_CHARS = 500;
/** Whole lines serve as the finding's text up to this length; beyond it (minified files) the quote alone does. */
const MAX_MATCHED_CHARS = 2_000;

const PREFIX: Readonly<Record<ReviewerName, string>> = { security: 'sec', correctness: 'cor', style: 'sty' };

/** Drafts of one reviewer as findings: ids, author and place are given by code, texts and numbers brought within bounds. */
export async function toFindings(
  reviewer: ReviewerName,
  drafts: readonly FindingDraft[],
  { clean, place }: { readonly clean: CleanText; readonly place: PlaceQuote },
): Promise<ReviewerFinding[]> {
  const findings: ReviewerFinding[] = [];
  for (const [at, draft] of drafts.slice(0, MAX_FINDINGS_PER_REVIEWER).entries()) {
    const category = toCategory(clean(draft.category)) || reviewer;
    const cwe = toCwe(draft.cwe);
    const quote = cut(clean(draft.quote), MAX_QUOTE_CHARS);
    const suggestion = toText(draft.suggestion, clean);
    findings.push({
      id: `${PREFIX[reviewer]}-${at + 1}`,
      origin: 'reviewer',
      tool: reviewer,
      ruleId: cwe === null ? category : `${category}/${cwe}`,
      category,
      title: toTitle(draft.title, clean) || category,
      message: cut(clean(draft.rationale).trim(), MAX_TEXT_CHARS),
      severity: draft.severity,
      confidence: toShare(draft.confidence),
      cwe: cwe === null ? [] : [cwe],
      ...toPlace(await place(draft.path, quote), quote),
      quote,
      ...(suggestion === '' ? {} : { suggestion }),
      evidence: draft.evidence.slice(0, MAX_EVIDENCE).map(text => cut(clean(text).trim(), MAX_EVIDENCE_CHARS)),
      mergedFrom: [],
    });
  }
  return findings;
}

/** The fields of a finding that follow from its place. */
export function toPlace({ path, place, reason, startLine, endLine, text }: Anchor, quote: string) {
  const matchedText = text === null || text.length > MAX_MATCHED_CHARS ? quote : text;
  return { path, place, ...(reason === undefined ? {} : { placeReason: reason }), startLine, endLine, matchedText };
}

export const toTitle = (text: string, clean: CleanText): string =>
  cut(clean(text).replace(/\s+/g, ' ').trim(), MAX_TITLE_CHARS);

export const toText = (text: string | null, clean: CleanText): string => cut(clean(text ?? '').trim(), MAX_TEXT_CHARS);

/** Lower case words joined by dashes, so that one kind of fault has one name. */
function toCategory(text: string): string {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, 60).replace(/-$/, '');
}

function toCwe(text: string | null): string | null {
  const number = /^\s*(?:CWE[-_ ]?)?0*(\d{1,5})\b/i.exec(text ?? '')?.[1];
  return number === undefined ? null : `CWE-${number}`;
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
