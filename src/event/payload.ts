import { CypherFixError } from '../core/errors.ts';

// No schema library here: a run that does not apply must end before any package is loaded.

export interface Actor {
  readonly login: string;
  readonly bot: boolean;
}

export interface EventPullRequest {
  readonly number: number;
  readonly open: boolean;
  readonly draft: boolean;
  readonly headSha: string;
  readonly baseRef: string;
  readonly author: Actor;
  /** A deleted head repository counts as a fork. */
  readonly fork: boolean;
}

/** What started the run, reduced to what decisions need. `sender` is null where GitHub names none (schedule). */
export type Event = { readonly sender: Actor | null } & (
  | {
      readonly name: 'pull_request';
      readonly action: string;
      readonly label: string | null;
      readonly pullRequest: EventPullRequest;
    }
  | {
      readonly name: 'issue_comment';
      readonly action: string;
      readonly number: number;
      readonly onPullRequest: boolean;
      readonly open: boolean;
      readonly commentId: number;
      readonly body: string;
    }
  | {
      readonly name: 'pull_request_review_comment';
      readonly action: string;
      readonly pullRequest: EventPullRequest;
      readonly commentId: number;
      readonly inReplyTo: number | null;
      readonly body: string;
    }
  | { readonly name: 'issues'; readonly action: string; readonly number: number; readonly label: string | null }
  | {
      readonly name: 'merge_group';
      readonly action: string;
      readonly headSha: string;
      /** The queue's own branch, which names the pull request. */
      readonly headRef: string;
      readonly baseRef: string;
    }
  | {
      readonly name: 'push';
      readonly ref: string;
      readonly after: string;
      readonly deleted: boolean;
      readonly defaultBranch: string;
    }
  | { readonly name: 'schedule'; readonly defaultBranch: string | null }
  | {
      readonly name: 'workflow_run';
      readonly action: string;
      readonly runId: number;
      readonly startedBy: string;
      readonly conclusion: string | null;
      readonly headSha: string;
      readonly fork: boolean;
    }
  | {
      readonly name: 'workflow_dispatch';
      readonly defaultBranch: string | null;
      /** Full ref that it was dispatched on. */
      readonly ref: string | null;
    }
  | { readonly name: 'other'; readonly eventName: string }
);

type Json = Readonly<Record<string, unknown>>;

/** Parses the payload of GITHUB_EVENT_PATH; throws CypherFixError('usage') that names the missing key. */
export function parseEvent(eventName: string, payload: unknown, repository: string): Event {
  if (!isObject(payload)) throw new CypherFixError('usage', `event ${eventName}: the payload is no JSON object`);
  const at = new Reader(eventName, payload);
  const sender = toActor(at.optional('sender'));
  const action = at.text('action', '');
  switch (eventName) {
    case 'pull_request':
      return {
        name: eventName,
        sender,
        action,
        label: at.label(),
        pullRequest: toPullRequest(at.object('pull_request'), repository),
      };
    case 'issue_comment': {
      const issue = at.object('issue');
      const comment = at.object('comment');
      return {
        name: eventName,
        sender,
        action,
        number: issue.number('number'),
        onPullRequest: issue.optional('pull_request') !== undefined,
        open: issue.text('state', 'open') === 'open',
        commentId: comment.number('id'),
        body: comment.text('body', ''),
      };
    }
    case 'pull_request_review_comment': {
      const comment = at.object('comment');
      const reply = comment.optional('in_reply_to_id');
      return {
        name: eventName,
        sender,
        action,
        pullRequest: toPullRequest(at.object('pull_request'), repository),
        commentId: comment.number('id'),
        inReplyTo: typeof reply === 'number' ? reply : null,
        body: comment.text('body', ''),
      };
    }
    case 'issues':
      return { name: eventName, sender, action, number: at.object('issue').number('number'), label: at.label() };
    case 'merge_group': {
      const group = at.object('merge_group');
      return {
        name: eventName,
        sender,
        action,
        headSha: group.text('head_sha'),
        headRef: group.text('head_ref', ''),
        baseRef: group.text('base_ref', ''),
      };
    }
    case 'push':
      return {
        name: eventName,
        sender,
        ref: at.text('ref'),
        after: at.text('after'),
        deleted: at.optional('deleted') === true,
        defaultBranch: at.object('repository').text('default_branch'),
      };
    case 'schedule':
      return { name: eventName, sender, defaultBranch: at.defaultBranch() };
    case 'workflow_dispatch':
      return { name: eventName, sender, defaultBranch: at.defaultBranch(), ref: at.text('ref', '') || null };
    case 'workflow_run': {
      const run = at.object('workflow_run');
      return {
        name: eventName,
        sender,
        action,
        runId: run.number('id'),
        startedBy: run.text('event', ''),
        conclusion: run.text('conclusion', '') || null,
        headSha: run.text('head_sha'),
        fork: isFork(run.optional('head_repository'), repository),
      };
    }
    default:
      return { name: 'other', sender, eventName };
  }
}

function toPullRequest(pull: Reader, repository: string): EventPullRequest {
  const head = pull.object('head');
  return {
    number: pull.number('number'),
    open: pull.text('state', 'open') === 'open',
    draft: pull.optional('draft') === true,
    headSha: head.text('sha'),
    baseRef: pull.object('base').text('ref'),
    author: toActor(pull.optional('user')) ?? { login: 'ghost', bot: false },
    fork: isFork(head.optional('repo'), repository),
  };
}

function toActor(value: unknown): Actor | null {
  if (!isObject(value) || typeof value['login'] !== 'string') return null;
  return { login: value['login'], bot: value['type'] === 'Bot' || value['login'].endsWith('[bot]') };
}

function isFork(repo: unknown, repository: string): boolean {
  if (!isObject(repo) || typeof repo['full_name'] !== 'string') return true;
  return repo['full_name'].toLowerCase() !== repository.toLowerCase();
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Typed access that names the key path when something expected is missing. */
class Reader {
  readonly #path: string;
  readonly #value: Json;

  constructor(path: string, value: Json) {
    this.#path = path;
    this.#value = value;
  }

  optional(key: string): unknown {
    return this.#value[key];
  }

  object(key: string): Reader {
    const value = this.#value[key];
    if (!isObject(value)) throw this.#missing(key, 'an object');
    return new Reader(`${this.#path}.${key}`, value);
  }

  text(key: string, otherwise?: string): string {
    const value = this.#value[key] ?? otherwise;
    if (typeof value !== 'string') throw this.#missing(key, 'a string');
    return value;
  }

  number(key: string): number {
    const value = this.#value[key];
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw this.#missing(key, 'a number');
    return value;
  }

  label(): string | null {
    const label = this.#value['label'];
    return isObject(label) && typeof label['name'] === 'string' ? label['name'] : null;
  }

  defaultBranch(): string | null {
    const repository = this.#value['repository'];
    if (!isObject(repository) || typeof repository['default_branch'] !== 'string') return null;
    return repository['default_branch'];
  }

  #missing(key: string, kind: string): CypherFixError {
    return new CypherFixError('usage', `event payload: ${this.#path}.${key} is not ${kind}`);
  }
}
