import { parseCommand } from './command.ts';
import type { Event, EventPullRequest } from './payload.ts';

export const REVIEW_LABEL = 'cypherfix:review';
export const FIX_LABEL = 'cypherfix:fix';

/** Actions of `pull_request` that may start a review; the policy's `review.on` narrows them. */
export const REVIEW_ACTIONS = ['opened', 'reopened', 'ready_for_review', 'synchronize'] as const;
export type ReviewAction = (typeof REVIEW_ACTIONS)[number];

/** What the event alone says. Permission and live state come after, since they need GitHub. */
export type Decision =
  | { readonly kind: 'skip'; readonly reason: string }
  | {
      readonly kind: 'review';
      readonly trigger: string;
      readonly number: number;
      /** Known for pull_request events; else read from the API. */
      readonly headSha: string | null;
      /** The action that the policy's `review.on` must list; null for people's commands. */
      readonly onAction: ReviewAction | null;
      /** Login that needs write permission; null where the event needs none. */
      readonly permissionOf: string | null;
      /** Deterministic scanners only: a fork or a bot. Null: known only after the pull request was read. */
      readonly restricted: boolean | null;
      readonly full: boolean;
      readonly comment: CommentRef | null;
      readonly label: string | null;
    }
  | {
      readonly kind: 'whole-tree';
      readonly trigger: string;
      /** Null: the tip of the default branch. */
      readonly headSha: string | null;
      readonly permissionOf: string | null;
    }
  | { readonly kind: 'merge-group'; readonly headSha: string }
  | { readonly kind: 'publish-artifact'; readonly runId: number; readonly headSha: string }
  | VerdictAsked
  | { readonly kind: 'help'; readonly number: number; readonly permissionOf: string; readonly comment: CommentRef }
  | {
      readonly kind: 'refuse';
      readonly number: number;
      readonly reason: string;
      readonly permissionOf: string;
      readonly comment: CommentRef;
    };

/** What somebody says of a finding; its id, or the comment of the thread that began with it, tells which. */
export interface VerdictAsked {
  readonly kind: 'verdict';
  readonly number: number;
  readonly onPullRequest: boolean;
  readonly finding: { readonly id: string } | { readonly inReplyTo: number };
  readonly verdict: 'real' | 'false-positive' | 'reset';
  readonly reason: string;
  readonly permissionOf: string;
  readonly comment: CommentRef;
}

export interface CommentRef {
  readonly id: number;
  readonly of: 'issue' | 'review';
}

const skip = (reason: string): Decision => ({ kind: 'skip', reason });

/** Decides from the event alone, without any call. Pure. */
export function decide(event: Event, dispatchNumber: number | null): Decision {
  switch (event.name) {
    case 'pull_request':
      return decidePullRequest(event);
    case 'issue_comment':
      if (event.action !== 'created') return skip(`a comment was ${event.action}, not created`);
      return decideComment(event, {
        number: event.number,
        onPullRequest: event.onPullRequest,
        open: event.open,
        inReplyTo: null,
        comment: { id: event.commentId, of: 'issue' },
      });
    case 'pull_request_review_comment':
      if (event.action !== 'created') return skip(`a review comment was ${event.action}, not created`);
      return decideComment(event, {
        number: event.pullRequest.number,
        onPullRequest: true,
        open: event.pullRequest.open,
        inReplyTo: event.inReplyTo,
        comment: { id: event.commentId, of: 'review' },
      });
    case 'issues':
      return decideIssue(event);
    case 'merge_group':
      if (event.action !== 'checks_requested') return skip(`merge group was ${event.action}`);
      return { kind: 'merge-group', headSha: event.headSha };
    case 'push':
      return decidePush(event);
    case 'schedule':
      return { kind: 'whole-tree', trigger: 'schedule', headSha: null, permissionOf: null };
    case 'workflow_dispatch':
      return decideDispatch(event, dispatchNumber);
    case 'workflow_run':
      return decideWorkflowRun(event);
    case 'other':
      return skip(
        event.eventName === 'pull_request_target'
          ? 'pull_request_target hands secrets to untrusted changes; use pull_request and the workflow_run companion'
          : `event '${event.eventName}' does not start a review`,
      );
  }
}

function decidePullRequest(event: Extract<Event, { name: 'pull_request' }>): Decision {
  const { pullRequest: pull, action } = event;
  if (action === 'labeled') return decideLabel(event);
  const onAction = REVIEW_ACTIONS.find(a => a === action);
  if (onAction === undefined) return skip(`pull_request '${action}' does not start a review`);
  if (!pull.open) return skip('the pull request is closed');
  if (pull.draft) return skip('draft pull request (reviewed when marked ready)');
  return {
    ...toReview(`pull_request.${action}`, pull),
    onAction,
    restricted: pull.fork || pull.author.bot || event.sender?.bot === true,
  };
}

function decideLabel(event: Extract<Event, { name: 'pull_request' }>): Decision {
  const label = event.label?.toLowerCase();
  if (label === FIX_LABEL) return skip(`label ${FIX_LABEL}: this version prepares no fixes`);
  if (label !== REVIEW_LABEL) return skip('a different label was added');
  if (event.sender === null || event.sender.bot) return skip('a label added by a bot does not start a review');
  if (!event.pullRequest.open) return skip('the pull request is closed');
  return {
    ...toReview('label', event.pullRequest),
    permissionOf: event.sender.login,
    restricted: false,
    label: event.label,
  };
}

function toReview(trigger: string, pull: EventPullRequest): Extract<Decision, { kind: 'review' }> {
  return {
    kind: 'review',
    trigger,
    number: pull.number,
    headSha: pull.headSha,
    onAction: null,
    permissionOf: null,
    restricted: null,
    full: false,
    comment: null,
    label: null,
  };
}

type CommentEvent = Extract<Event, { name: 'issue_comment' | 'pull_request_review_comment' }>;

interface CommentPlace {
  readonly number: number;
  readonly onPullRequest: boolean;
  readonly open: boolean;
  /** The comment that began the thread; null outside one. */
  readonly inReplyTo: number | null;
  readonly comment: CommentRef;
}

function decideComment(event: CommentEvent, place: CommentPlace): Decision {
  const command = parseCommand(event.body);
  if (command === null) return skip('the comment is no /cypherfix command');
  if (event.sender === null || event.sender.bot) return skip("a bot's comment never starts a run");
  const { number, comment } = place;
  const permissionOf = event.sender.login;
  const refuse = (reason: string): Decision => ({ kind: 'refuse', number, reason, permissionOf, comment });
  switch (command.kind) {
    case 'help':
      return { kind: 'help', number, permissionOf, comment };
    case 'invalid':
      return refuse(`${command.reason}; /cypherfix help lists the commands`);
    case 'later':
      return refuse(`this version does not carry out '${command.name}'`);
    case 'verdict': {
      const { id, verdict, reason } = command;
      const finding = id !== null ? { id } : place.inReplyTo === null ? null : { inReplyTo: place.inReplyTo };
      if (finding === null) return refuse('outside the thread of a finding, a verdict needs the id of the finding');
      const { onPullRequest } = place;
      return { kind: 'verdict', number, onPullRequest, finding, verdict, reason, permissionOf, comment };
    }
    case 'review':
      if (!place.onPullRequest) return refuse('a review needs a pull request, and this is an issue');
      if (!place.open) return refuse('the pull request is closed');
      return {
        kind: 'review',
        trigger: event.name,
        number,
        headSha: null,
        onAction: null,
        permissionOf,
        restricted: false,
        full: command.full,
        comment,
        label: null,
      };
  }
}

function decideIssue(event: Extract<Event, { name: 'issues' }>): Decision {
  if (event.action !== 'labeled') return skip(`issues '${event.action}' does not start anything`);
  if (event.label?.toLowerCase() !== FIX_LABEL) return skip('a different label was added');
  return skip(`label ${FIX_LABEL}: this version prepares no fixes`);
}

function decidePush(event: Extract<Event, { name: 'push' }>): Decision {
  if (event.deleted) return skip('the branch was deleted');
  if (event.ref !== `refs/heads/${event.defaultBranch}`) return skip('the push is not to the default branch');
  return { kind: 'whole-tree', trigger: 'push', headSha: event.after, permissionOf: null };
}

function decideDispatch(event: Extract<Event, { name: 'workflow_dispatch' }>, number: number | null): Decision {
  if (event.sender === null) return skip('the dispatch names no sender');
  if (number === null) {
    return { kind: 'whole-tree', trigger: 'workflow_dispatch', headSha: null, permissionOf: event.sender.login };
  }
  return {
    kind: 'review',
    trigger: 'workflow_dispatch',
    number,
    headSha: null,
    onAction: null,
    permissionOf: event.sender.login,
    restricted: false,
    full: false,
    comment: null,
    label: null,
  };
}

function decideWorkflowRun(event: Extract<Event, { name: 'workflow_run' }>): Decision {
  if (event.action !== 'completed') return skip(`the workflow run is ${event.action}`);
  if (event.startedBy !== 'pull_request') return skip(`the workflow run was started by '${event.startedBy}'`);
  if (!event.fork) return skip('the workflow run was no fork run: it published its review itself');
  return { kind: 'publish-artifact', runId: event.runId, headSha: event.headSha };
}
