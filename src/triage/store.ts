import type { TriageRemediation, TriageStatus } from '../core/triage.ts';
import type { BaseLayer } from '../risk/layers.ts';
import type { FindingRow, ProjectFacts } from '../risk/row.ts';
import type { StoredColumns, StoredReview } from './stored.ts';

/**
 * What a triage run needs of the graph. An implementation is bound to one user and one project; every method rejects
 * when the graph cannot do it, within a time of its own. Only the run's own node is written before `claim`.
 */
export interface TriageStore {
  /** Opens the run, in one transaction; refused while another run of the project is live, or too soon after the last. */
  authorize(start: RunStart): Promise<Authorization>;
  /** Shows that the run lives, and how far it is. `abort` when somebody else ended it. */
  heartbeat(runId: string, progress: RunProgress): Promise<'go-on' | 'abort'>;
  /** The last moment to be refused: after it the run publishes. */
  claim(
    runId: string,
  ): Promise<{ readonly status: 'claimed' } | { readonly status: 'refused'; readonly reason: string }>;
  /** Ends the run; `late` when somebody else had ended it before, whose word then stays. */
  finish(runId: string, end: RunEnd): Promise<{ readonly status: string; readonly late: boolean }>;

  readFacts(): Promise<FactsReading>;
  /**
   * Every finding of the project that counts, in pages of one label; what a run does not rank is left out. Long texts may
   * be absent where they move neither score nor group.
   */
  readFindings(): AsyncIterable<FindingPage>;
  /** What earlier runs, reviews and people stored on the findings, in pages. */
  readStored(): AsyncIterable<readonly StoredColumns[]>;
  /** These findings as they are now, with their long texts; one that no longer counts is left out. */
  readEvidence(refs: readonly FindingRef[]): Promise<readonly FindingRow[]>;
  /** What the graph remembers of these CVEs; unknown ones are left out. */
  readCveCache(ids: readonly string[]): Promise<readonly CachedCve[]>;

  // One transaction each, for at most BATCH_SIZE items.
  writeCveCache(entries: readonly CachedCve[]): Promise<void>;
  upsertCodeFindings(findings: readonly CodeFindingUpsert[]): Promise<void>;
  markStale(ids: readonly string[]): Promise<void>;
  /** Removes what pull requests of the repository left, once they are closed. */
  removePullRequests(repository: string, numbers: readonly number[]): Promise<void>;

  /** Writes base layers and reviews in batches, each in one transaction; a failed batch is counted and costs its rows only. */
  publishRanking(
    runId: string,
    rows: readonly RankingRow[],
    onProgress: (done: number) => void,
  ): Promise<PublishCounts>;
  /** Brings the stored list to this one, in one transaction. `complete` false: rows of other groups stay as they are. */
  saveRemediations(
    runId: string,
    items: readonly TriageRemediation[],
    options: { readonly complete: boolean },
  ): Promise<RemediationCounts>;
}

/** Most items of one writing transaction. */
export const BATCH_SIZE = 500;

/** Which finding: ids repeat between labels. */
export interface FindingRef {
  readonly label: string;
  readonly id: string;
}

/** A finding's reference as the key of a map. */
export const toRefKey = ({ label, id }: FindingRef): string => `${label}\n${id}`;

export function fromRefKey(key: string): FindingRef {
  const at = key.indexOf('\n');
  return { label: key.slice(0, at), id: key.slice(at + 1) };
}

export interface RunStart {
  /** `push`, `schedule`, `dispatch` or `local`. */
  readonly trigger: string;
  /** Started by no person: cooldown and daily cap hold. */
  readonly automatic: boolean;
  readonly modelVersion: string;
}

export type Authorization =
  /** `lost` are earlier runs that had fallen silent; they are marked as failed. */
  | { readonly status: 'granted'; readonly runId: string; readonly lost: readonly string[] }
  /** `runId` is the run that is in the way. */
  | { readonly status: 'refused'; readonly reason: string; readonly runId?: string };

export interface RunProgress {
  readonly phase: string;
  /** 0 to 100. */
  readonly progress: number;
}

export type RunFault =
  | 'stopped'
  | 'publish_refused'
  | 'agent_lost'
  | 'publish_failed'
  | 'save_failed'
  | 'internal_error';

export interface RunEnd {
  readonly status: TriageStatus;
  readonly fault: RunFault | null;
  readonly summary: Readonly<Record<string, number>>;
}

export interface FactsReading {
  readonly facts: ProjectFacts;
  /** By host: what proves that it was broken into. */
  readonly proofByHost: ReadonlyMap<string, readonly ProofLink[]>;
  /** Fact sets that could not be read; they are empty then, which means "not known". */
  readonly failed: readonly string[];
}

export interface ProofLink {
  readonly chain_id: string;
  readonly finding_type: string;
}

export type FindingPage =
  | { readonly label: string; readonly rows: readonly FindingRow[] }
  /** The label's findings could not be read, or not to their end. */
  | { readonly label: string; readonly failed: string };

export interface CachedCve {
  /** Upper case. */
  readonly id: string;
  readonly kev: boolean;
  readonly hasPoc: boolean;
  readonly hasTemplate: boolean;
  readonly epssScore?: number;
  /** When this was known; ISO 8601. Null where nothing says. */
  readonly intelAt: string | null;
}

/** A finding in the repository's code as it is kept in the graph, on the default branch. */
export interface CodeFindingUpsert {
  readonly id: string;
  readonly fingerprint: string;
  readonly repository: string;
  readonly row: FindingRow;
}

/** What a run writes of one finding. */
export interface RankingRow extends FindingRef {
  /** The node's `updated_at` when it was read; null where nothing is to be compared. */
  readonly seenUpdatedAt: string | null;
  readonly base: BaseLayer;
  /** Empty where the finding has no evidence. */
  readonly evidenceHash: string;
  readonly signals: readonly string[];
  readonly host: string;
  readonly groupKey: string;
  readonly detector: string;
  /** ISO 8601; null where no intelligence was at hand. */
  readonly intelDate: string | null;
  readonly proof: readonly ProofLink[];
  readonly review: ReviewWrite | null;
}

/** `not_reviewed` says that the budget did not reach the finding. */
export type ReviewWrite =
  | { readonly kind: 'not_reviewed' }
  /** A review of our own model, checked against the evidence whose hash it names. */
  | { readonly kind: 'review'; readonly review: StoredReview };

export interface PublishCounts {
  readonly updated: number;
  /** Changed since they were read. */
  readonly skippedChanged: number;
  readonly missing: number;
  readonly reviewsWritten: number;
  readonly rejected: number;
  /** In batches that failed. */
  readonly failed: number;
  /** Why batches failed, each reason once. */
  readonly reasons: readonly string[];
}

export interface RemediationCounts {
  readonly written: number;
  /** Somebody works on them: only their rank was written. */
  readonly kept: number;
  readonly removed: number;
}
