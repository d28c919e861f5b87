import type { State, User } from './state.ts';

/** Empty tables, and a user for every login that is asked for. */
export function createState(): State {
  let lastId = 1_000;
  const state: State = {
    users: new Map(),
    collaborators: new Map(),
    branchRules: [],
    issues: [],
    pulls: [],
    reviews: [],
    reviewComments: [],
    threads: [],
    issueComments: [],
    checkRuns: [],
    reactions: [],
    sarifs: [],
    artifacts: [],
    workflowRuns: [],
    nextId: () => ++lastId,
    nextNumber: () => 1 + Math.max(0, ...state.issues.map(i => i.number), ...state.pulls.map(p => p.number)),
    user: login => {
      const known = state.users.get(login.toLowerCase());
      if (known !== undefined) return known;
      const created: User = { id: ++lastId, login, type: login.endsWith('[bot]') ? 'Bot' : 'User' };
      state.users.set(login.toLowerCase(), created);
      return created;
    },
  };
  return state;
}
