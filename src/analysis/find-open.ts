import type { FileChange } from '../core/change.ts';
import type { RawFinding } from '../core/finding.ts';
import type { OpenAiFinding } from '../core/open-finding.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import { basePathOf } from '../findings/introduced.ts';
import type { OpenPlace, StandingFinding } from '../findings/settle-open.ts';
import { DEFENCES } from '../review/defences.ts';
import { createFileReader } from '../review/file-reader.ts';
import { createGuard } from '../review/guard.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { placeOpenQuote, type Seen } from './place-open-quote.ts';
import { registerFound } from './register-found.ts';

export interface OpenFindingsInput {
  readonly openFindings: readonly OpenAiFinding[];
  readonly workspace: Pick<Workspace, 'change' | 'head'>;
  /** What the scanners gave: secrets among it are masked before quotes are compared, as they were when they were quoted. */
  readonly scannerRaw: readonly RawFinding[];
  readonly secrets: SecretRegistry;
  readonly random: (who: string) => string;
}

export interface OpenFindingsNow {
  /** What they quote stands at the head. */
  readonly standing: readonly StandingFinding[];
  readonly gone: readonly { readonly finding: OpenAiFinding; readonly reason: string }[];
  /** Full sentences: what could not be told. */
  readonly unsettled: readonly string[];
}

/** A shorter text may stand in any file: it is looked for in its own alone. */
const LEAST_CHARS_TO_FOLLOW = 20;

/**
 * Looks for the quoted text of open findings at the head: in their own file, under its new name where the change moves
 * it, and where the file left the change, in the one file into which the change moved the text. Reads only those files.
 */
export async function findOpenFindings(input: OpenFindingsInput): Promise<OpenFindingsNow> {
  const { openFindings, workspace, secrets } = input;
  if (openFindings.length === 0) return { standing: [], gone: [], unsettled: [] };
  registerFound(secrets, input.scannerRaw);
  const guard = createGuard({ defences: DEFENCES, boundary: input.random('open-findings'), secrets });
  const reader = createFileReader({ tree: workspace.head, guard });
  const look = async (finding: OpenAiFinding, file: FileChange): Promise<Seen> =>
    placeOpenQuote(finding, file, { reader, guard });

  const standing: StandingFinding[] = [];
  const gone: { finding: OpenAiFinding; reason: string }[] = [];
  const unsettled: string[] = [];
  for (const finding of openFindings) {
    const { files } = workspace.change;
    const file = fileOf(finding.path, files);
    const seen = file === undefined ? await follow(finding, files, look) : await look(finding, file);
    if (seen.status === 'stands') standing.push({ finding, place: seen.place });
    else if (seen.status === 'gone') gone.push({ finding, reason: seen.reason });
    else unsettled.push(toUnsettled(finding, seen.reason));
  }
  return { standing, gone, unsettled };
}

/** The changed file that holds now what the path held; undefined where the change has none. */
function fileOf(path: string, files: readonly FileChange[]): FileChange | undefined {
  const isThere = (file: FileChange): boolean => file.status !== 'deleted';
  const own = files.find(file => file.path === path && isThere(file));
  return own ?? files.find(file => file.status === 'renamed' && basePathOf(file) === path && isThere(file));
}

/** Looks in the added text of the other files; only a single place is the text's new one. */
async function follow(
  finding: OpenAiFinding,
  files: readonly FileChange[],
  look: (finding: OpenAiFinding, file: FileChange) => Promise<Seen>,
): Promise<Seen> {
  const places: OpenPlace[] = [];
  if (finding.quote.replace(/\s+/g, '').length >= LEAST_CHARS_TO_FOLLOW) {
    for (const file of files.filter(one => one.kind === 'text' && one.additions > 0)) {
      const seen = await look(finding, file);
      if (seen.status === 'stands' && seen.place.isAdded) places.push(seen.place);
    }
  }
  const [place, ...others] = places;
  if (place !== undefined && others.length === 0) return { status: 'stands', place };
  const isDeleted = files.some(file => file.path === finding.path);
  const reason = isDeleted ? `${finding.path} was deleted` : `${finding.path} is no longer part of the change`;
  return { status: 'gone', reason };
}

const toUnsettled = ({ fingerprint, path, reviewer }: OpenAiFinding, reason: string): string =>
  `Whether finding ${fingerprint.slice(0, 8)} (${reviewer}) of an earlier run still stands in ${path} could not be told: ${reason}.`;
