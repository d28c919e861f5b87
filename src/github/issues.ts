import { type GitHub, REPEATABLE } from './client.ts';
import { GitHubFailure } from './failure.ts';
import { listPages, type Page } from './pages.ts';
import type { RepositoryName } from './repository-name.ts';
import { type ActorNode, type Authorship, toAuthorship } from './reviews.ts';

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly isPullRequest: boolean;
  readonly author: string;
  readonly labels: readonly string[];
}

export async function fetchIssue(gh: GitHub, repository: RepositoryName, number: number): Promise<Issue> {
  const { data } = await gh.read(`read issue ${number}`, octokit =>
    octokit.rest.issues.get({ ...repository, issue_number: number }),
  );
  return {
    number: data.number,
    title: data.title,
    body: data.body ?? '',
    state: data.state === 'open' ? 'open' : 'closed',
    isPullRequest: data.pull_request !== undefined,
    author: data.user?.login ?? 'ghost',
    labels: data.labels.map(l => (typeof l === 'string' ? l : (l.name ?? ''))),
  };
}

/** Takes a label off an issue or pull request; a label that is gone already is fine. */
export async function removeLabel(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  label: string,
): Promise<void> {
  try {
    await gh.write<unknown>(
      `remove the label ${label}`,
      octokit => octokit.rest.issues.removeLabel({ ...repository, issue_number: number, name: label }),
      REPEATABLE,
    );
  } catch (error) {
    if (!(error instanceof GitHubFailure) || error.kind !== 'not-found') throw error;
  }
}

/** An issue with who wrote it, as a list gives it. */
export interface ListedIssue extends Authorship {
  readonly number: number;
  readonly body: string;
  readonly state: 'open' | 'closed';
}

const LIST_ISSUES = `query ListIssues($owner: String!, $repo: String!, $label: String!, $after: String) {
  repository(owner: $owner, name: $repo) {
    issues(first: 100, after: $after, labels: [$label], orderBy: { field: CREATED_AT, direction: ASC }) {
      pageInfo { hasNextPage endCursor }
      nodes { number body state viewerDidAuthor author { __typename login } }
    }
  }
}`;

/** Every issue with the label, open and closed, oldest first; through GraphQL, which alone tells who `viewer` is. */
export async function listLabelledIssues(
  gh: GitHub,
  repository: RepositoryName,
  label: string,
): Promise<ListedIssue[]> {
  const nodes = await listPages(async after => {
    const variables = { ...repository, label, after };
    const answer = await gh.query<IssuesAnswer>(`list the issues ${label}`, LIST_ISSUES, variables);
    return answer.repository?.issues ?? null;
  });
  return nodes.map(node => ({
    number: node.number,
    body: node.body,
    state: node.state === 'OPEN' ? 'open' : 'closed',
    ...toAuthorship(node),
  }));
}

/** Opens an issue. `isIt` recognises it among those with its label when the answer was lost. */
export async function createIssue(
  gh: GitHub,
  repository: RepositoryName,
  issue: { readonly title: string; readonly body: string; readonly label: string },
  isIt: (candidate: ListedIssue) => boolean,
): Promise<{ readonly number: number; readonly labels: readonly string[] }> {
  const { title, body, label } = issue;
  return gh.write(
    'open an issue',
    async octokit => {
      const { data } = await octokit.rest.issues.create({ ...repository, title, body, labels: [label] });
      return { number: data.number, labels: data.labels.map(l => (typeof l === 'string' ? l : (l.name ?? ''))) };
    },
    async () => {
      const found = (await listLabelledIssues(gh, repository, label)).find(isIt);
      return found === undefined ? null : { number: found.number, labels: [label] };
    },
  );
}

export async function updateIssue(
  gh: GitHub,
  repository: RepositoryName,
  number: number,
  change: { readonly body?: string; readonly state?: 'open' | 'closed' },
): Promise<void> {
  const reason = change.state === 'closed' ? { state_reason: 'completed' as const } : {};
  await gh.write<unknown>(
    `update issue ${number}`,
    octokit => octokit.rest.issues.update({ ...repository, issue_number: number, ...change, ...reason }),
    REPEATABLE,
  );
}

interface IssuesAnswer {
  readonly repository: {
    readonly issues: Page<{
      readonly number: number;
      readonly body: string;
      readonly state: string;
      readonly viewerDidAuthor: boolean;
      readonly author: ActorNode | null;
    }> | null;
  } | null;
}
