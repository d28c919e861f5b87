import { toMessage } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import type { Request } from '../core/request.ts';
import type { GitHub } from '../github/client.ts';
import { fetchFile } from '../github/contents.ts';
import { GitHubFailure } from '../github/failure.ts';
import { createIssue, listLabelledIssues, updateIssue } from '../github/issues.ts';
import { fetchRepository } from '../github/repository.ts';
import { parseRepositoryName, type RepositoryName } from '../github/repository-name.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import { readIssueBody } from '../render/remediation-issue.ts';
import { createNotes, type Notes } from './notes.ts';
import { type IssueAction, planIssues } from './plan-issues.ts';

export const REMEDIATION_LABEL = 'cypherfix:remediation';

/** Most issues that one run opens, changes or closes; the next goes on. */
export const MAX_ISSUE_WRITES = 30;

export interface PublishedIssues {
  /** What was done, in a sentence; empty where nothing was to be done. */
  readonly told: string;
  /** What was not, and why. */
  readonly notes: readonly string[];
}

export interface IssueSettings {
  readonly configPath: string;
  /** Where somebody else's report may lie; null for this run's own. */
  readonly reportPath: string | null;
  readonly trustedBots: readonly string[];
}

/**
 * Brings the issues of fixes to the triage's list where the default branch's policy asks for them (`triage.issues`);
 * never on a public repository. What GitHub does not take is noted, and a missing permission ends the attempt.
 */
export async function publishWantedIssues(
  gh: GitHub,
  request: Request,
  report: Report,
  { configPath, reportPath, trustedBots }: IssueSettings,
): Promise<PublishedIssues> {
  const { triage } = report;
  const notes = createNotes();
  const nothing = (): PublishedIssues => ({ told: '', notes: notes.all() });
  if (triage === undefined || request.triage === null) return nothing();
  const repository = parseRepositoryName(request.repository);
  const read = await notes.attempt('No issues were written', async () => {
    const live = await fetchRepository(gh, repository);
    const policy = parsePolicy(await fetchFile(gh, repository, configPath, live.defaultBranch), configPath);
    return { live, policy };
  });
  const { issues: upTo = 'off', project = null } = read?.policy.triage ?? {};
  if (read === null || upTo === 'off' || project === null) return nothing();
  // It may have become public since the run began.
  if (!read.live.private || !request.private) {
    notes.add('triage.issues has no effect on a public repository: issues would tell everybody what the graph holds');
    return nothing();
  }
  if (reportPath !== null) {
    notes.add(
      'No issues were written: only the run that made the triage writes them, not one that is handed its report',
    );
    return nothing();
  }
  const listed = await notes.attempt(`No issues were written (${PERMISSION})`, () =>
    listLabelledIssues(gh, repository, REMEDIATION_LABEL),
  );
  if (listed === null) return nothing();
  const { actions, keptClosed } = planIssues({
    // A project may have several repositories: each opens the issues of its own code.
    remediations: triage.remediations.filter(
      item => item.targetRepo.toLowerCase() === request.repository.toLowerCase(),
    ),
    upTo: TIER_OF[upTo],
    projectId: project,
    complete: triage.complete && !('triage remediations' in report.truncated),
    issues: listed,
    trustedBots,
  });
  const told = await write(gh, repository, actions, notes);
  const kept = keptClosed === 0 ? '' : ` ${keptClosed} that a person closed stay closed.`;
  return {
    told: told === '' && kept === '' ? '' : `Issues of fixes: ${told || 'as they were'}.${kept}`,
    notes: notes.all(),
  };
}

const PERMISSION = 'the job needs the permission `issues: write`, and the repository needs issues switched on';

const TIER_OF = { t1: 'T1', t2: 'T2', t3: 'T3' } as const;

const DONE = {
  create: 'opened',
  reopen: 'opened again',
  update: 'updated',
  close: 'closed',
  mark: 'marked as gone',
} as const;

/** Writes the first of the actions; says how many of each kind were done and how many are left. */
async function write(
  gh: GitHub,
  repository: RepositoryName,
  actions: readonly IssueAction[],
  notes: Notes,
): Promise<string> {
  const done = new Map<IssueAction['kind'], number>();
  let failed = 0;
  for (const action of actions.slice(0, MAX_ISSUE_WRITES)) {
    try {
      await carryOut(gh, repository, action);
      done.set(action.kind, (done.get(action.kind) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof GitHubFailure)) throw error;
      failed++;
      if (error.kind === 'validation' || error.kind === 'conflict') {
        notes.add(`An issue was not written: ${toMessage(error)}`);
        continue;
      }
      notes.add(`Issues were not written any further (${PERMISSION}): ${toMessage(error)}`);
      break;
    }
  }
  const written = [...done.values()].reduce((sum, count) => sum + count, 0);
  const left = actions.length - written - failed;
  const parts = (Object.keys(DONE) as IssueAction['kind'][])
    .filter(kind => done.has(kind))
    .map(kind => `${done.get(kind)} ${DONE[kind]}`);
  return [...parts, ...(left > 0 ? [`${left} more left to the next run`] : [])].join(', ');
}

async function carryOut(gh: GitHub, repository: RepositoryName, action: IssueAction): Promise<void> {
  switch (action.kind) {
    case 'create': {
      const { key, title, section } = action.issue;
      const isIt = ({ byViewer, body }: { byViewer: boolean; body: string }) =>
        byViewer && readIssueBody(body)?.key === key;
      const { number, labels } = await createIssue(
        gh,
        repository,
        { title, body: section, label: REMEDIATION_LABEL },
        isIt,
      );
      // Without its label the next run would not find it, and open another.
      if (labels.some(label => label.toLowerCase() === REMEDIATION_LABEL)) return;
      await updateIssue(gh, repository, number, { state: 'closed' });
      throw new GitHubFailure('forbidden', 200, `GitHub opened issue ${number} without the label ${REMEDIATION_LABEL}`);
    }
    case 'close':
      return updateIssue(gh, repository, action.number, {
        state: 'closed',
        ...(action.body === undefined ? {} : { body: action.body }),
      });
    case 'reopen':
      return updateIssue(gh, repository, action.number, { state: 'open', body: action.body });
    case 'update':
    case 'mark':
      return updateIssue(gh, repository, action.number, { body: action.body });
  }
}
