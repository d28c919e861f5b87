import { notFound } from './api-error.ts';
import type { Entry } from './journal.ts';
import type { Repository } from './repository.ts';
import type { Site } from './site.ts';
import type { Issue, PullRequest } from './state.ts';
import type { Need, Token } from './tokens.ts';

/** One REST request, its body already checked against GitHub's description. */
export interface Call {
  site: Site;
  token: Token;
  repo: Repository;
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  accept: string;
  docs: string;
  entry: Entry;
}

export interface Reply {
  status?: number;
  json?: unknown;
  /** Cut into pages, with a Link header; `under` wraps the page as `{ total_count, [under]: page }`. */
  list?: unknown[];
  under?: string;
  raw?: Buffer | string;
  type?: string;
  headers?: Record<string, string>;
}

export interface Handler {
  /** The token needs one of them. */
  needs: readonly Need[] | ((call: Call) => readonly Need[]);
  run(call: Call): Reply;
}
export type Handlers = Record<string, Handler>;

export function findPull(call: Call, parameter = 'pull_number'): PullRequest {
  const pull = call.site.state.pulls.find(candidate => candidate.number === Number(call.params[parameter]));
  if (pull === undefined) throw notFound();
  return pull;
}

/** An issue or a pull request seen as one. */
export function findIssue(call: Call): Issue {
  const number = Number(call.params['issue_number']);
  const { issues, pulls } = call.site.state;
  const issue = [...issues, ...pulls].find(candidate => candidate.number === number);
  if (issue === undefined) throw notFound();
  return issue;
}

export function findById<T extends { id: number | string }>(rows: T[], id: string | undefined): T {
  const row = rows.find(candidate => String(candidate.id) === id);
  if (row === undefined) throw notFound();
  return row;
}
