import { TIERS, type Tier } from '../core/risk.ts';
import type { TriageRemediation } from '../core/triage.ts';
import type { ListedIssue } from '../github/issues.ts';
import {
  type RemediationIssue,
  readIssueBody,
  renderRemediationIssue,
  replaceSection,
  toGoneSection,
} from '../render/remediation-issue.ts';
import { isOwn } from './ownership.ts';

export type IssueAction =
  | { readonly kind: 'create'; readonly issue: RemediationIssue }
  | { readonly kind: 'reopen' | 'update' | 'mark'; readonly number: number; readonly body: string }
  /** The body is left out where people took our part of it away. */
  | { readonly kind: 'close'; readonly number: number; readonly body?: string };

export interface IssuePlan {
  /** The most important first. */
  readonly actions: readonly IssueAction[];
  /** Closed by a person though findings are left. */
  readonly keptClosed: number;
}

export interface IssueInput {
  readonly remediations: readonly TriageRemediation[];
  /** Policy `triage.issues`: up to which tier issues are opened. */
  readonly upTo: Tier;
  readonly projectId: string;
  /** False where the list may lack some: none is closed then. */
  readonly complete: boolean;
  readonly issues: readonly ListedIssue[];
  readonly trustedBots: readonly string[];
}

/**
 * What brings the issues to the list of remediations. An issue counts when our identity, or a trusted bot, wrote it and its
 * body carries our marker. One that is there follows its remediation whatever its tier becomes. Only what we closed is
 * opened again. Pure.
 */
export function planIssues({ remediations, upTo, projectId, complete, issues, trustedBots }: IssueInput): IssuePlan {
  const known = new Map<string, Known>();
  for (const issue of issues) {
    const own = isOwn(issue, trustedBots) ? readIssueBody(issue.body) : null;
    // Of two with one key, which a lost answer may leave, the older counts.
    if (own !== null && !known.has(own.key)) known.set(own.key, { ...own, issue });
  }
  const close: IssueAction[] = [];
  const mark: IssueAction[] = [];
  const open: IssueAction[] = [];
  const update: IssueAction[] = [];
  let keptClosed = 0;
  const seen = new Set<string>();
  for (const item of remediations) {
    const wanted = renderRemediationIssue(item, projectId);
    if (seen.has(wanted.key)) continue;
    seen.add(wanted.key);
    const isWanted = TIERS.indexOf(item.tier) <= TIERS.indexOf(upTo);
    const found = known.get(wanted.key);
    if (found === undefined) {
      if (isWanted) open.push({ kind: 'create', issue: wanted });
      continue;
    }
    const { issue, section, gone } = found;
    const body = () => replaceSection(issue.body, wanted.key, wanted.section);
    if (issue.state === 'open') {
      if (section !== null && section !== wanted.section)
        update.push({ kind: 'update', number: issue.number, body: body() });
    } else if (!gone) keptClosed++;
    else if (isWanted) open.push({ kind: 'reopen', number: issue.number, body: body() });
  }
  for (const { key, issue, section, gone } of complete ? known.values() : []) {
    // Open in spite of our mark: a person opened it again.
    if (seen.has(key) || gone) continue;
    const body = section === null ? {} : { body: replaceSection(issue.body, key, toGoneSection(section)) };
    if (issue.state === 'open') close.push({ kind: 'close', number: issue.number, ...body });
    else if (body.body !== undefined) mark.push({ kind: 'mark', number: issue.number, body: body.body });
  }
  return { actions: [...close, ...open, ...update, ...mark], keptClosed };
}

interface Known {
  readonly key: string;
  readonly section: string | null;
  readonly gone: boolean;
  readonly issue: ListedIssue;
}
