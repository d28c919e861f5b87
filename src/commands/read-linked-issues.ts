import { toMessage } from '../core/errors.ts';
import type { Request } from '../core/request.ts';
import { GitHubFailure } from '../github/failure.ts';
import { fetchIssueTexts, listClosingIssues } from '../github/linked-issues.ts';
import type { Policy } from '../policy/schema.ts';
import type { Resolving } from './resolving.ts';

export type LinkedIssues = Pick<Request, 'issues' | 'issueNotices'>;

export const NO_ISSUES: LinkedIssues = { issues: [], issueNotices: [] };

/**
 * The issues that a pull request is to settle: those that GitHub links, closing keywords name or the branch is called
 * after, of this repository. A token that may not read them, and a GitHub that does not answer, give a notice and fewer issues.
 */
export async function readLinkedIssues(
  { gh, repository, context }: Resolving,
  pull: NonNullable<Request['pullRequest']>,
  { acceptance }: Pick<Policy, 'acceptance'>,
): Promise<LinkedIssues> {
  if (acceptance.mode === 'off') return NO_ISSUES;
  const notices: string[] = [];
  const closing = await listClosingIssues(gh, repository, pull.number).catch((error: unknown) => {
    notices.push(toNotice('the issues that GitHub links were not read', error));
    return [];
  });
  const { listLinkedIssues } = await import('../acceptance/linked-issues.ts');
  const { title, body, headRef } = pull;
  const serverUrl = context.env['GITHUB_SERVER_URL'] || 'https://github.com';
  const sources = { repository: `${repository.owner}/${repository.repo}`, serverUrl, title, body, closing };
  const numbers = listLinkedIssues({ ...sources, headRef });
  // A number in the name of a branch may mean anything, so that nothing is said when it is no issue.
  const said = new Set(listLinkedIssues({ ...sources, headRef: '' }));
  const read = await fetchIssueTexts(gh, repository, numbers).catch((error: unknown) => {
    notices.push(toNotice('the linked issues were not read', error));
    return { issues: [], missing: [], notices: [] };
  });
  const missing = read.missing
    .filter(number => said.has(number))
    .map(number => `acceptance: there is no issue ${number} that this token may read (permission \`issues: read\`)`);
  const issueNotices = [...notices, ...read.notices, ...missing];
  for (const notice of issueNotices) context.log.info(notice);
  return { issues: [...read.issues], issueNotices };
}

function toNotice(what: string, error: unknown): string {
  if (!(error instanceof GitHubFailure)) throw error;
  return `acceptance: ${what}: ${toMessage(error)}`;
}
