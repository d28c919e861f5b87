import type { Change } from '../core/change.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import type { Tree } from '../core/tree.ts';
import type { Budget } from '../model/budget.ts';
import type { Effort, Model, TextPart } from '../model/model.ts';
import type { Inspection } from '../workspace/inspection.ts';
import { MAX_DIFF_CHARS, type RenderedDiff, renderDiff } from './change-text.ts';
import { DEFENCES, type Defences } from './defences.ts';
import { createFileReader } from './file-reader.ts';
import { fitToBudget } from './fit-to-budget.ts';
import { createGuard, type Guard } from './guard.ts';
import type { OpenFinding, ScannerBrief } from './outcome.ts';
import { changeParts } from './prompts/change.ts';
import { systemText } from './prompts/system.ts';
import { type ShownChange, showChange } from './shown-change.ts';
import type { CleanText, PlaceQuote } from './to-findings.ts';
import type { RunTests, ToolContext } from './tools/tool-context.ts';

/** What the policy at the base says of the AI review. */
export interface ReviewPolicy {
  readonly reviewerModel: string;
  readonly judgeModel: string;
  readonly reviewerEffort: Effort;
  readonly judgeEffort: Effort;
  /** `ai.instructions` */
  readonly instructions: string | null;
  /** `gate.threshold` */
  readonly threshold: number;
  /** `review.max_files` */
  readonly maxFiles: number;
  /** `review.ignore_paths` and the built-in ones. */
  readonly isIgnored: (path: string) => boolean;
}

export interface ReviewInput {
  readonly change: Pick<Change, 'files'>;
  readonly tree: Tree;
  readonly inspection: Inspection | null;
  /** Of the pull request; null where there is none. */
  readonly title: string | null;
  readonly body: string | null;
  readonly issues?: readonly { readonly number: number; readonly title: string; readonly body: string }[];
  readonly scannerFindings: readonly ScannerBrief[];
  readonly previousOpen: readonly OpenFinding[];
  readonly policy: ReviewPolicy;
  readonly model: Model;
  /** With the shares of REVIEW_SHARES. */
  readonly budget: Budget;
  readonly runTests: RunTests | null;
  /** Letters and digits that the change's author cannot foresee. */
  readonly random: () => string;
  /** Secrets of this run, what gitleaks matched among them. */
  readonly secrets?: SecretRegistry;
  readonly signal: AbortSignal;
}

/** What every stage of one review shares. */
export interface ReviewSetup {
  readonly input: ReviewInput;
  readonly guard: Guard;
  readonly defences: Defences;
  readonly shown: ShownChange;
  readonly diff: RenderedDiff;
  /** The diff is shorter than a prompt takes, so that the budget lasts. */
  readonly cutForBudget: boolean;
  readonly tools: ToolContext;
  readonly system: readonly TextPart[];
  /** Parts of the first message that all roles share, the last one with the cache breakpoint. */
  readonly shared: readonly TextPart[];
  readonly clean: CleanText;
  readonly place: PlaceQuote;
}

export async function setUpReview(input: ReviewInput, defences: Defences = DEFENCES): Promise<ReviewSetup> {
  const { policy, tree, inspection, runTests, secrets } = input;
  const { isIgnored, maxFiles, instructions } = policy;
  const guard = createGuard({ defences, boundary: input.random(), secrets });
  const reader = createFileReader({ tree, guard });
  const shown = await showChange({ files: input.change.files, isIgnored, maxFiles, reader, guard });
  const { title, body, issues = [], scannerFindings } = input;
  const policyText = instructions === null ? null : defences.redactLines(instructions, secrets);
  const system = [{ text: systemText(guard.boundary, policyText) }];
  const { diff, shared } = fitToBudget(input, maxChars => {
    const diff = renderDiff(shown, maxChars);
    return {
      diff,
      shared: changeParts({ title, body, issues, shown, diff: diff.text, scannerFindings }, guard),
      system,
    };
  });
  return {
    input,
    guard,
    defences,
    shown,
    diff,
    cutForBudget: diff.maxChars < MAX_DIFF_CHARS && diff.cut.length > 0,
    tools: { tree, reader, inspection, shown, isIgnored, guard, defences, runTests },
    system,
    shared,
    clean: text => guard.clean('model', text),
    place: (path, quote) => defences.anchorQuote({ shown, reader, isIgnored }, path, quote),
  };
}
