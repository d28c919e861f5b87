import { toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type CodeScope, readCodeVerdicts } from '../graph/code-findings.ts';
import type { Graph } from '../graph/graph.ts';
import { GraphError, type GraphFailure, readErrorCode, readGraphFailure } from '../graph/graph-failure.ts';
import { type ReviewFacts, readReviewFacts } from '../graph/read-review-facts.ts';
import { savePullRequest } from '../graph/save-pull-request.ts';
import type { Tenant } from '../graph/tenant.ts';
import { type GraphKnowledge, rankByGraph, toPullRequestFinding } from './rank-by-graph.ts';
import type { ReviewGraph } from './review-graph.ts';
import { createTimePurse } from './time-purse.ts';

export interface LiveGraph {
  connect(signal: AbortSignal): Promise<Graph>;
  readonly tenant: Tenant;
  /** `owner/name` */
  readonly repository: string;
  readonly isPublic: boolean;
  /** Whose findings are kept; null keeps none. */
  readonly pullRequest: number | null;
  /** The policy limits the tiers of findings. */
  readonly limitsTiers: boolean;
  readonly times?: GraphTimes;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** In milliseconds. */
export interface GraphTimes {
  /** For all that a review does with the graph: a server that says nothing costs no more. */
  readonly total: number;
  /** To connect and to read the facts, beside the scan. */
  readonly facts: number;
  /** For the farewell, beyond the total. */
  readonly close: number;
}

export const GRAPH_TIMES: GraphTimes = { total: 9_000, facts: 7_000, close: 1_000 };

/**
 * A graph that is there, one hopes. Facts and verdicts are read in READ sessions, so that no triage run is in the way; the
 * pull request's own nodes are all that is written.
 */
export function createLiveGraph(live: LiveGraph): ReviewGraph {
  const { tenant, repository, isPublic, pullRequest, signal, log } = live;
  const times = live.times ?? GRAPH_TIMES;
  const purse = createTimePurse(times.total, signal, toTimeout);
  const scope: CodeScope | null = pullRequest === null ? null : { repository, scope: `pr/${pullRequest}` };
  const scopes = [...(scope === null ? [] : [scope]), { repository, scope: 'default' } as const];
  let reading: Promise<{ readonly graph: Graph; readonly facts: ReviewFacts }> | undefined;
  let connecting: Promise<Graph> | undefined;
  let used: { readonly graph: Graph; readonly known: GraphKnowledge } | undefined;

  const read = () => {
    reading ??= purse.spend(async stop => {
      connecting = live.connect(stop);
      const graph = await connecting;
      return { graph, facts: await readReviewFacts(graph, tenant, repository) };
    }, times.facts);
    reading.catch(() => {});
    return reading;
  };

  const tellFailure = (error: unknown): GraphFailure => {
    if (signal.aborted) throw error;
    const failure = readGraphFailure(error);
    const hint = error instanceof GraphError && error.hint !== undefined ? ` → ${error.hint}` : '';
    const code = readErrorCode(error);
    // The log of a public repository is public; messages name the server, and may quote what it holds.
    const text = isPublic ? `${REASONS[failure]}${code === '' ? '' : ` (${code})`}` : toMessage(error);
    log.info(`the graph: ${text}${hint}`);
    return failure;
  };

  return {
    begin: () => void read(),
    async rank(findings) {
      try {
        const { graph, facts } = await read();
        const fingerprints = findings.map(({ fingerprint }) => fingerprint);
        const verdicts = await purse.spend(() => readCodeVerdicts(graph, tenant, repository, fingerprints));
        used = { graph, known: { facts, verdicts, scopes, isPublic } };
        const changed = rankByGraph(findings, used.known);
        if (facts.failed.length > 0 && !isPublic) log.info(`the graph: ${facts.failed.join('; ')}`);
        return { changed, notices: toNotices(facts, isPublic && changed.size > 0) };
      } catch (error) {
        return { changed: new Map(), notices: [toFaultNotice(tellFailure(error), live.limitsTiers)] };
      }
    },
    async keep(findings, complete) {
      if (used === undefined || scope === null) return [];
      const { graph, known } = used;
      if (known.facts.lacksConstraints) {
        return [toUnkept('its constraints and indexes are not made yet (`triage --init` makes them once)')];
      }
      const kept = findings
        .filter(({ suppressed }) => suppressed === undefined)
        .map(finding => toPullRequestFinding(finding, scope, known));
      try {
        await purse.spend(stop =>
          savePullRequest(graph, tenant, scope, kept, { complete, timeoutMs: Math.max(1, purse.left()), signal: stop }),
        );
        return [];
      } catch (error) {
        return [toUnkept(REASONS[tellFailure(error)])];
      }
    },
    async close() {
      const closing = connecting?.then(graph => graph.close()).catch(() => {});
      // A server that says nothing is not waited for.
      await Promise.race([closing, new Promise(resolve => setTimeout(resolve, times.close).unref())]);
    },
  };
}

const toTimeout = () => new GraphError('busy', 'the server did not answer in time');

/** Without the name of the server, which is nobody's business on GitHub. */
const REASONS: Readonly<Record<GraphFailure, string>> = {
  unreachable: 'the server cannot be reached',
  unauthorized: 'the server refused the user or the password',
  'old-server': 'the server is older than Neo4j 5.26, or is no Neo4j',
  busy: 'the server did not answer in time',
  lock: 'another transaction held what was needed',
  schema: 'the server refused the query',
  other: 'the server or the database could not be used',
};

const toUnkept = (why: string): string =>
  `The findings were not kept in the attack-surface graph: ${why}. A verdict may not find them there.`;

const toFaultNotice = (failure: GraphFailure, limitsTiers: boolean): string =>
  `The attack-surface graph was not used: ${REASONS[failure]}. Findings are ranked without its facts and verdicts${
    limitsTiers ? ', and gate.max_tier goes by these ranks' : ''
  }; the log of this run says more.`;

function toNotices(facts: ReviewFacts, hidesFactors: boolean): string[] {
  const failed = facts.failed.map(text => text.slice(0, text.indexOf(':')));
  return [
    ...(failed.length > 0
      ? [`Some facts of the attack-surface graph could not be read and count as not known: ${failed.join(', ')}.`]
      : []),
    ...(facts.isEmpty
      ? [
          'The attack-surface graph knows nothing of the project that triage.project and triage.user name: findings are ranked by what the repository alone tells.',
        ]
      : []),
    ...(hidesFactors
      ? [
          'Tiers and scores take the attack-surface graph into account; on a public repository the factors are shown without it.',
        ]
      : []),
  ];
}
