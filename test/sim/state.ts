/** The tables behind the simulated site. Tests read them; REST and GraphQL handlers alone write them. */

export type Side = 'LEFT' | 'RIGHT';
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

export interface User {
  id: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
}

/** An issue, or the issue half of a pull request: they share one number space, labels and comments. */
export interface Issue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  author: User;
  labels: string[];
  locked: boolean;
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  /** Why it was closed or opened again: `completed`, `not_planned`, `reopened`. */
  stateReason: string | null;
}

export interface PullRequest extends Issue {
  draft: boolean;
  merged: boolean;
  /** Full name of the repository that holds the head branch; another one than the base for a fork. */
  headRepository: string;
  headRef: string;
  headSha: string;
  baseRef: string;
  /** Tip of the base branch when the head last moved, as GitHub freezes it. */
  baseSha: string;
  /** Test merge of head into base; null on conflict. */
  mergeSha: string | null;
  /** Numbers of the issues that merging would close. */
  closes: number[];
  authorAssociation: 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'FIRST_TIME_CONTRIBUTOR' | 'NONE';
}

export interface Review {
  id: number;
  pullNumber: number;
  author: User;
  body: string;
  state: 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'PENDING' | 'DISMISSED';
  /** Re-pointed to the new head after a force push, as GitHub does. */
  commitId: string;
  submittedAt: string | null;
  minimized: string | null;
}

export interface ReviewComment {
  id: number;
  pullNumber: number;
  reviewId: number;
  threadId: string;
  inReplyTo: number | null;
  author: User;
  body: string;
  path: string;
  subject: 'line' | 'file';
  side: Side;
  startSide: Side | null;
  /** Null once outdated. */
  line: number | null;
  startLine: number | null;
  originalLine: number | null;
  originalStartLine: number | null;
  originalPosition: number;
  commitId: string;
  originalCommitId: string;
  originalMergeBase: string;
  diffHunk: string;
  createdAt: string;
  updatedAt: string;
  minimized: string | null;
}

export interface Thread {
  id: string;
  pullNumber: number;
  /** Id of the first comment. */
  root: number;
  resolvedBy: User | null;
}

export interface IssueComment {
  id: number;
  number: number;
  author: User;
  body: string;
  createdAt: string;
  updatedAt: string;
  minimized: string | null;
}

export interface Annotation {
  path: string;
  start_line: number;
  end_line: number;
  start_column?: number;
  end_column?: number;
  annotation_level: 'notice' | 'warning' | 'failure';
  message: string;
  title?: string;
  raw_details?: string;
}

export interface CheckRun {
  id: number;
  appId: number;
  name: string;
  headSha: string;
  externalId: string | null;
  /** Null for a workflow's token: GitHub overwrites what it asks for. */
  detailsUrl: string | null;
  status: string;
  conclusion: string | null;
  startedAt: string;
  completedAt: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  annotations: Annotation[];
}

export interface Reaction {
  id: number;
  /** `issue-comment`, `review-comment` or `issue`, a slash, and the id or number. */
  subject: string;
  user: User;
  content: string;
  createdAt: string;
}

export interface SarifUpload {
  id: string;
  commitSha: string;
  ref: string;
  document: unknown;
  errors: string[];
  /** Results kept of those sent, over all runs. */
  kept: number;
  /** How often the state was asked for: the first answer is `pending`. */
  polls: number;
}

export interface Artifact {
  id: number;
  name: string;
  runId: number;
  zip: Buffer;
  expired: boolean;
  createdAt: string;
}

export interface WorkflowRun {
  id: number;
  name: string;
  event: string;
  headBranch: string;
  headSha: string;
  headRepository: string;
  status: string;
  conclusion: string | null;
  actor: User;
  pullRequests: number[];
  createdAt: string;
}

export interface State {
  users: Map<string, User>;
  collaborators: Map<string, Role>;
  /** Rules that `rules/branches` reports, each `{ type, parameters? }`. */
  branchRules: Record<string, unknown>[];
  issues: Issue[];
  pulls: PullRequest[];
  reviews: Review[];
  reviewComments: ReviewComment[];
  threads: Thread[];
  issueComments: IssueComment[];
  checkRuns: CheckRun[];
  reactions: Reaction[];
  sarifs: SarifUpload[];
  artifacts: Artifact[];
  workflowRuns: WorkflowRun[];
  /** A fresh number, used for every kind of id. */
  nextId(): number;
  nextNumber(): number;
  user(login: string): User;
}
