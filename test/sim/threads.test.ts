import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, LINES, type Scene, startWithPull, toText } from './start-with-pull.ts';

interface Threads {
  repository: {
    pullRequest: {
      reviewThreads: {
        totalCount: number;
        pageInfo: { hasNextPage: boolean; endCursor: string | null };
        nodes: {
          id: string;
          isResolved: boolean;
          isOutdated: boolean;
          line: number | null;
          viewerCanResolve: boolean;
          comments: { nodes: { viewerDidAuthor: boolean; author: { login: string; __typename: string } }[] };
        }[];
      };
    };
  };
}

const THREADS = `query ($owner: String!, $repo: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: $first, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated line viewerCanResolve
          comments(first: 10) { nodes { viewerDidAuthor author { __typename login } } }
        }
      }
    }
  }
}`;
const RESOLVE = 'mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { id isResolved } } }';
const MINIMIZE = `mutation ($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized minimizedReason } }
}`;

let scene: Scene;
beforeEach(async () => {
  scene = await startWithPull();
  const { octokit, at } = scene;
  const comments = [10, 50].map(line => ({ path: 'a.js', line, body: `on ${line}` }));
  await octokit.rest.pulls.createReview({ ...at, event: 'COMMENT', body: 'b', comments });
});
afterEach(() => scene.github.close());

async function list(
  first = 100,
  after: string | null = null,
): Promise<Threads['repository']['pullRequest']['reviewThreads']> {
  const { octokit, place, pull } = scene;
  const answer = await octokit.graphql<Threads>(THREADS, { ...place, number: pull.number, first, after });
  return answer.repository.pullRequest.reviewThreads;
}

async function problems(query: string, variables: Record<string, unknown>): Promise<unknown> {
  try {
    await scene.octokit.graphql(query, variables);
  } catch (error) {
    return (error as { errors: unknown }).errors;
  }
  throw new Error('no error');
}

describe('review threads', () => {
  it('come in pages, with who wrote what', async () => {
    const first = await list(1);
    expect(first).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    const second = await list(1, first.pageInfo.endCursor);
    expect(second.pageInfo.hasNextPage).toBe(false);
    expect([first, second].map(page => page.nodes[0]?.line)).toEqual([10, 50]);
    // GraphQL knows the bot without the suffix that REST gives it.
    expect(first.nodes[0]?.comments.nodes).toEqual([
      { viewerDidAuthor: true, author: { __typename: 'Bot', login: 'github-actions' } },
    ]);
  });

  it('become outdated with their line', async () => {
    scene.github.repo.commit({ branch: 'feature', files: { 'a.js': toText(LINES.with(49, 'new Function(y)')) } });
    const { nodes } = await list();
    expect(nodes.map(node => [node.isOutdated, node.line])).toEqual([
      [true, null],
      [false, 50],
    ]);
  });

  it('are resolved with contents: write only', async () => {
    const { octokit, github } = scene;
    const [thread] = github.state.threads;
    github.workflowToken.permissions = { contents: 'read', 'pull-requests': 'write' };
    expect((await list()).nodes.map(node => node.viewerCanResolve)).toEqual([false, false]);
    expect(await problems(RESOLVE, { id: thread?.id })).toMatchObject([
      { type: 'FORBIDDEN', path: ['resolveReviewThread'], message: 'Resource not accessible by integration' },
    ]);
    expect(await problems(MINIMIZE, { id: 'PRRC_1' })).toMatchObject([{ type: 'NOT_FOUND' }]);
    github.workflowToken.permissions = { contents: 'write', 'pull-requests': 'write' };
    await octokit.graphql(RESOLVE, { id: thread?.id });
    expect((await list()).nodes.map(node => [node.isResolved, node.viewerCanResolve])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(github.journal.writes().filter(entry => entry.operation === 'graphql/resolveReviewThread')).toHaveLength(2);
  });

  it('are answered by others, and comments folded away', async () => {
    const { octokit, github } = scene;
    const [root] = github.state.reviewComments;
    if (root === undefined) throw new Error('no comment');
    github.reply(root, 'not true', 'mona');
    const { nodes } = await list();
    expect(nodes[0]?.comments.nodes.map(comment => comment.viewerDidAuthor)).toEqual([true, false]);
    const id = `PRRC_${root.id}`;
    expect(await octokit.graphql(MINIMIZE, { id })).toEqual({
      minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: 'outdated' } },
    });
    expect(root.minimized).toBe('outdated');
  });
});

describe('the schema', () => {
  it('refuses unknown fields, missing bounds and pages that are too large', async () => {
    const { place, pull } = scene;
    const variables = { ...place, number: pull.number };
    const threads = (args: string) =>
      `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) {
        pullRequest(number: $number) { reviewThreads${args} { totalCount } } } }`;
    expect(await problems('{ viewer { nonsense } }', {})).toMatchObject([
      { message: expect.stringContaining('nonsense') },
    ]);
    expect(await problems(threads(''), variables)).toMatchObject([{ type: 'MISSING_PAGINATION_BOUNDARIES' }]);
    expect(await problems(threads('(first: 101)'), variables)).toMatchObject([{ type: 'EXCESSIVE_PAGINATION' }]);
    expect(await problems('{ repository(owner: "a", name: "b") { id } }', {})).toMatchObject([{ type: 'NOT_FOUND' }]);
  });

  it('shows the issues that a merge would close to those who may read issues', async () => {
    const { octokit, github, place, pull } = scene;
    const issue = github.openIssue({ title: 'Login fails', body: '- [ ] logs in' });
    pull.closes = [issue.number];
    const query = `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) {
      pullRequest(number: $number) { closingIssuesReferences(first: 10) { nodes { number title body state } } } } }`;
    const ask = () => octokit.graphql(query, { ...place, number: pull.number });
    const nodes = (list: unknown[]) => ({ repository: { pullRequest: { closingIssuesReferences: { nodes: list } } } });
    expect(await ask()).toEqual(
      nodes([{ number: issue.number, title: 'Login fails', body: '- [ ] logs in', state: 'OPEN' }]),
    );
    github.workflowToken.permissions = { 'pull-requests': 'read' };
    expect(await ask()).toEqual(nodes([]));
  });

  it('reports a field that the simulator lacks as a bug of the test set-up', async () => {
    const other = await startWithPull();
    const query = `{ repository(owner: "acme", name: "shop") { stargazerCount } }`;
    await expect(connect(other.github, other.github.token).graphql(query)).rejects.toThrow('Not modelled');
    await expect(other.github.close()).rejects.toThrow('Repository.stargazerCount');
  });
});
