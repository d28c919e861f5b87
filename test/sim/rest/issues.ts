import { ApiError, isTooLong, notFound } from '../api-error.ts';
import { type Call, findById, findIssue, type Handlers } from '../call.ts';
import { isPull, renderIssue, renderIssueComment, renderLabel } from '../json/issue.ts';
import { timestamp } from '../site.ts';
import type { Issue, IssueComment } from '../state.ts';
import type { Need } from '../tokens.ts';

export const issueHandlers: Handlers = {
  'issues/get': { needs: needsOn('read'), run: call => ({ json: renderIssue(call.site, findIssue(call)) }) },
  'issues/list-for-repo': {
    needs: ['issues:read'],
    run: call => {
      const wanted = call.query.get('state') ?? 'open';
      const labels = (call.query.get('labels') ?? '').split(',').filter(label => label !== '');
      const all: Issue[] = [...call.site.state.issues, ...call.site.state.pulls];
      const found = all.filter(
        issue => (wanted === 'all' || issue.state === wanted) && labels.every(label => issue.labels.includes(label)),
      );
      found.sort((a, b) => b.number - a.number);
      return { list: found.map(issue => renderIssue(call.site, issue)) };
    },
  },
  'issues/create': {
    needs: ['issues:write'],
    run: call => {
      const { site, token } = call;
      const {
        title,
        body = null,
        labels,
      } = call.body as { title: string | number; body?: string | null; labels?: unknown };
      const at = timestamp(site);
      const issue: Issue = {
        id: site.state.nextId(),
        number: site.state.nextNumber(),
        title: checkTitle(title),
        body: body === null ? null : checkText(body, 'Issue', 'body'),
        state: 'open',
        author: token.user,
        labels: toLabels({ labels }),
        locked: false,
        createdAt: at,
        updatedAt: at,
        closedAt: null,
        stateReason: null,
      };
      site.state.issues.push(issue);
      return { json: renderIssue(site, issue) };
    },
  },
  'issues/update': {
    needs: needsOn('write'),
    run: call => {
      const issue = findIssue(call);
      const change = call.body as {
        title?: string | null;
        body?: string | null;
        state?: 'open' | 'closed';
        state_reason?: string;
      };
      const at = timestamp(call.site);
      if (change.title !== undefined && change.title !== null) issue.title = checkTitle(change.title);
      if (change.body !== undefined) issue.body = change.body === null ? null : checkText(change.body, 'Issue', 'body');
      if (change.state !== undefined && change.state !== issue.state) {
        const isClosed = change.state === 'closed';
        const stateReason = isClosed ? (change.state_reason ?? 'completed') : 'reopened';
        Object.assign(issue, { state: change.state, closedAt: isClosed ? at : null, stateReason });
      }
      issue.updatedAt = at;
      return { json: renderIssue(call.site, issue) };
    },
  },
  'issues/list-comments': {
    needs: needsOn('read'),
    run: call => {
      const issue = findIssue(call);
      const since = call.query.get('since');
      const comments = call.site.state.issueComments.filter(
        comment => comment.number === issue.number && (since === null || comment.updatedAt >= since),
      );
      return { list: comments.map(comment => renderIssueComment(call.site, comment)) };
    },
  },
  'issues/create-comment': {
    needs: needsOn('write'),
    run: call => {
      const issue = findIssue(call);
      if (issue.locked) throw new ApiError(403, { message: 'Unable to create comment because issue is locked.' });
      const comment = addIssueComment(call, issue.number, checkBody(call.body));
      return { json: renderIssueComment(call.site, comment) };
    },
  },
  'issues/get-comment': {
    needs: ['issues:read', 'pull-requests:read'],
    run: call => ({ json: renderIssueComment(call.site, findComment(call)) }),
  },
  'issues/update-comment': {
    needs: ['issues:write', 'pull-requests:write'],
    run: call => {
      const comment = findComment(call);
      Object.assign(comment, { body: checkBody(call.body), updatedAt: timestamp(call.site) });
      return { json: renderIssueComment(call.site, comment) };
    },
  },
  'issues/delete-comment': {
    needs: ['issues:write', 'pull-requests:write'],
    run: call => {
      const { issueComments } = call.site.state;
      issueComments.splice(issueComments.indexOf(findComment(call)), 1);
      return { status: 204 };
    },
  },
  'issues/list-labels-on-issue': {
    needs: needsOn('read'),
    run: call => ({ list: findIssue(call).labels.map(name => renderLabel(call.site, name)) }),
  },
  'issues/add-labels': {
    needs: needsOn('write'),
    run: call => {
      const issue = findIssue(call);
      for (const name of toLabels(call.body)) if (!hasLabel(issue, name)) issue.labels.push(name);
      return { json: issue.labels.map(name => renderLabel(call.site, name)) };
    },
  },
  'issues/remove-label': {
    needs: needsOn('write'),
    run: call => {
      const issue = findIssue(call);
      const name = call.params['name'] ?? '';
      if (!hasLabel(issue, name)) throw notFound('Label does not exist');
      issue.labels = issue.labels.filter(label => label.toLowerCase() !== name.toLowerCase());
      return { json: issue.labels.map(label => renderLabel(call.site, label)) };
    },
  },
};

export function addIssueComment(call: Pick<Call, 'site' | 'token'>, number: number, body: string): IssueComment {
  const { site, token } = call;
  const at = timestamp(site);
  const id = site.state.nextId();
  const comment = { id, number, author: token.user, body, createdAt: at, updatedAt: at, minimized: null };
  site.state.issueComments.push(comment);
  return comment;
}

/** A pull request's comments and labels take either permission; an issue's only its own. */
function needsOn(level: 'read' | 'write'): (call: Call) => readonly Need[] {
  return call => (isPull(findIssue(call)) ? [`issues:${level}`, `pull-requests:${level}`] : [`issues:${level}`]);
}

function findComment(call: Call): IssueComment {
  return findById(call.site.state.issueComments, call.params['comment_id']);
}

function checkBody(value: unknown): string {
  const { body } = value as { body: string };
  if (body.trim() === '') throw refuse('IssueComment', 'data', 'Body cannot be blank');
  return checkText(body, 'IssueComment', 'data');
}

function checkText(text: string, resource: string, field: string): string {
  if (isTooLong(text)) throw refuse(resource, field, 'Body is too long (maximum is 65536 characters)');
  return text;
}

function checkTitle(value: string | number): string {
  const title = String(value);
  if (title.trim() === '') throw refuse('Issue', 'title', 'Title cannot be blank');
  if ([...title].length > 256) throw refuse('Issue', 'title', 'Title is too long (maximum is 256 characters)');
  return title;
}

const refuse = (resource: string, field: string, message: string): ApiError =>
  new ApiError(422, { message: 'Validation Failed', errors: [{ resource, code: 'unprocessable', field, message }] });

/** Labels come as a list, as `{ labels: [...] }`, and in both forms as names or as objects with a name. */
function toLabels(body: unknown): string[] {
  const list = Array.isArray(body) ? body : ((body as { labels?: unknown[] } | undefined)?.labels ?? []);
  return list.map(label => (typeof label === 'string' ? label : (label as { name: string }).name));
}

/** GitHub compares labels without regard to case. */
function hasLabel(issue: Issue, name: string): boolean {
  return issue.labels.some(label => label.toLowerCase() === name.toLowerCase());
}
