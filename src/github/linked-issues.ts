import type { GitHub } from './client.ts';
import { GitHubFailure } from './failure.ts';
import { fetchIssue } from './issues.ts';
import type { RepositoryName } from './repository-name.ts';

/** An issue as request.json carries it. Title and body are untrusted text. */
export interface IssueText {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
}

export const LIST_CLOSING_ISSUES = `query ListClosingIssues($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 25) { nodes { number repository { nameWithOwner } } }
    }
  }
}`;

/** All issues together, as JSON. */
export const MAX_ISSUES_BYTES = 64 * 1024;
const MAX_TITLE_CHARS = 1_000;

/** Numbers of this repository's issues that GitHub will close with the pull request. */
export async function listClosingIssues(gh: GitHub, repository: RepositoryName, number: number): Promise<number[]> {
  const answer = await gh.query<ClosingAnswer>('list the issues that it closes', LIST_CLOSING_ISSUES, {
    ...repository,
    number,
  });
  const own = `${repository.owner}/${repository.repo}`.toLowerCase();
  return (answer.repository?.pullRequest?.closingIssuesReferences?.nodes ?? []).flatMap(node =>
    node !== null && node.repository.nameWithOwner.toLowerCase() === own ? [node.number] : [],
  );
}

export interface IssueTexts {
  readonly issues: readonly IssueText[];
  /** Numbers that GitHub says it does not have, or that the token may not see. */
  readonly missing: readonly number[];
  readonly notices: readonly string[];
}

/**
 * The issues' texts, cut so that all fit into 64 KiB; numbers that are no issue of this repository are left out. A token that may
 * not read issues gives a notice and not an error.
 */
export async function fetchIssueTexts(
  gh: GitHub,
  repository: RepositoryName,
  numbers: readonly number[],
): Promise<IssueTexts> {
  const issues: IssueText[] = [];
  const missing: number[] = [];
  const notices: string[] = [];
  for (const wanted of numbers) {
    const issue = await fetchIssue(gh, repository, wanted).catch((error: unknown) => {
      if (!(error instanceof GitHubFailure) || !/^(?:not-found|forbidden)$/.test(error.kind)) throw error;
      if (error.kind === 'forbidden') notices.push(`acceptance: issue ${wanted} was not read: ${error.message}`);
      else missing.push(wanted);
      return null;
    });
    // An issue that was moved answers under another number, in another repository.
    if (issue === null || issue.isPullRequest || issue.number !== wanted) continue;
    const { number, title, body, state } = issue;
    issues.push({ number, title: title.slice(0, MAX_TITLE_CHARS), body, state });
  }
  return { issues: fitTexts(issues, MAX_ISSUES_BYTES), missing, notices };
}

/** Each issue gets an equal share; what short ones leave goes to the long ones. */
export function fitTexts(issues: readonly IssueText[], maxBytes: number): IssueText[] {
  const fitted = new Map<number, IssueText>();
  const bySize = [...issues].sort((a, b) => bytesOf(a) - bytesOf(b));
  let left = maxBytes - 2;
  for (const [at, issue] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - at)) - 1;
    const kept = fitText(issue, share);
    left -= bytesOf(kept) + 1;
    fitted.set(issue.number, kept);
  }
  return issues.flatMap(({ number }) => fitted.get(number) ?? []);
}

function fitText(issue: IssueText, maxBytes: number): IssueText {
  if (bytesOf(issue) <= maxBytes) return issue;
  let [low, high] = [0, issue.body.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytesOf({ ...issue, body: issue.body.slice(0, middle) }) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  // Half of a character must not stay.
  return { ...issue, body: issue.body.slice(0, low).replace(/[\ud800-\udbff]$/, '') };
}

const bytesOf = (issue: IssueText): number => Buffer.byteLength(JSON.stringify(issue));

interface ClosingAnswer {
  readonly repository: {
    readonly pullRequest: {
      readonly closingIssuesReferences: {
        readonly nodes: readonly ({
          readonly number: number;
          readonly repository: { readonly nameWithOwner: string };
        } | null)[];
      } | null;
    } | null;
  } | null;
}
