import type { Decision } from './decide.ts';
import type { Event } from './payload.ts';

/**
 * What mode `triage` makes of a decision: the project's findings are ranked from the default branch alone, in a run that a
 * push, the schedule or a dispatch started. Everything else is skipped with the reason. Pure.
 */
export function decideTriage(decision: Decision, event: Event): Decision {
  if (decision.kind === 'skip') return decision;
  const name = event.name === 'other' ? event.eventName : event.name;
  if (decision.kind === 'whole-tree') return whyNotHere(event) ?? decision;
  const reason =
    event.name === 'workflow_dispatch'
      ? 'mode triage ranks the default branch, so it takes no pull-request'
      : `mode triage runs on push, schedule and workflow_dispatch of the default branch, not on ${name}`;
  return { kind: 'skip', reason };
}

function whyNotHere(event: Event): Decision | null {
  if (event.name !== 'workflow_dispatch' || event.ref === null || event.defaultBranch === null) return null;
  if (event.ref === `refs/heads/${event.defaultBranch}`) return null;
  return { kind: 'skip', reason: `mode triage runs on the default branch ${event.defaultBranch}, not on ${event.ref}` };
}
