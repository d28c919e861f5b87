import type { RawFinding } from '../core/finding.ts';
import type { Log } from '../core/log.ts';
import type { OpenAiFinding } from '../core/open-finding.ts';
import type { Report } from '../core/report.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import type { LoadedPolicy } from '../policy/load-policy.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { RulePack } from '../scanners/rule-pack.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AiSetup } from './ai-review.ts';
import type { LinkedIssues } from './linked-issues.ts';
import type { ReviewGraph } from './review-graph.ts';
import type { Stopwatch } from './stopwatch.ts';

/** What an analysis works with. */
export interface Analysis {
  readonly workspace: Workspace;
  readonly policy: LoadedPolicy;
  readonly rulePack: RulePack;
  readonly sandbox: Sandbox;
  readonly subject: Report['subject'];
  readonly request: Report['request'];
  /** Whether anybody can read the code: what reaches further ranks higher. */
  readonly isPublic: boolean;
  /** Null where nobody asked for an AI review. */
  readonly ai: AiSetup | null;
  /** What the change is to settle. */
  readonly linked: LinkedIssues;
  /** What earlier runs of the same pull request left. */
  readonly earlier: EarlierRuns;
  /** Facts and verdicts beyond the repository. */
  readonly graph: ReviewGraph;
  /** Keys of this run; what gitleaks matches is added. No report, prompt or log shows any of it. */
  readonly secrets: SecretRegistry;
  /** Plain sentences that are known before the analysis begins. */
  readonly notices: readonly string[];
  readonly stopwatch: Stopwatch;
  /** Time and chance by the name of who asks: work that runs side by side then gets the same again in a replay. */
  readonly now: (who: string) => Date;
  /** Letters and digits that the change's author cannot foresee. */
  readonly random: (who: string) => string;
  /** Hears what the scanners found, before anything of it is masked. */
  readonly onFound?: (raw: readonly RawFinding[]) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface EarlierRuns {
  /** Reviewers' findings whose threads are open. */
  readonly openFindings: readonly OpenAiFinding[];
  /** Why not all of them are known, in a full sentence; null when they are. */
  readonly unread: string | null;
  /** What models cost, in dollars. */
  readonly spentUsd: number;
}

export const NO_EARLIER_RUNS: EarlierRuns = { openFindings: [], unread: null, spentUsd: 0 };
