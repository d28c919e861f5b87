import type { RawFinding } from '../core/finding.ts';
import { fingerprintFindings } from '../findings/fingerprint.ts';
import { namesRule } from '../findings/identity.ts';
import { markIntroduced } from '../findings/introduced.ts';
import type { MergedFinding } from '../findings/merge.ts';
import type { PlaceableFinding } from '../findings/place.ts';
import type { Policy } from '../policy/schema.ts';
import { applySuppressions } from '../policy/suppressions.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { FindingLines } from './finding-lines.ts';
import type { TwinScan } from './scan-twins.ts';

export interface KnownFindings {
  readonly findings: readonly PlaceableFinding[];
  readonly notices: readonly string[];
}

interface KnownInput {
  readonly workspace: Workspace;
  readonly policy: Policy;
  readonly lines: FindingLines;
  readonly twins: Pick<TwinScan, 'lineOf'> & { readonly findings: readonly RawFinding[] };
  readonly now: Date;
}

/** Merged findings with their lasting ids, what of them the change introduced, and what the policy suppresses. */
export function toKnownFindings(merged: readonly MergedFinding[], input: KnownInput): KnownFindings {
  const { workspace, policy, lines, twins, now } = input;
  const introduced = markIntroduced(fingerprintFindings(merged, lines.lineOf), workspace.change, twins.findings, {
    lineOf: lines.lineOf,
    baseLineOf: twins.lineOf,
  });
  return applySuppressions(introduced, {
    entries: policy.suppress,
    disabledRules: policy.scanners.rules.disable,
    today: now.toISOString().slice(0, 10),
    namesRule,
  });
}
