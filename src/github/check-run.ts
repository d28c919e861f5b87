import { type GitHub, REPEATABLE } from './client.ts';
import { PAGE_SIZE } from './limits.ts';
import type { RepositoryName } from './repository-name.ts';

export const CHECK_NAME = 'CypherFix';

export type CheckConclusion = 'success' | 'failure' | 'neutral' | 'cancelled' | 'skipped' | 'timed_out';

export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** GitHub takes columns only where the annotation stands on one line. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

export interface CheckOutput {
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  /** At most 50; GitHub appends those of each request. */
  readonly annotations?: readonly CheckAnnotation[];
}

export interface CheckRun {
  readonly id: number;
  readonly status: string;
  readonly conclusion: string | null;
  readonly externalId: string;
  readonly headSha: string;
  readonly url: string;
  readonly annotationCount: number;
}

/**
 * Creates our check on a commit. `externalId` names the run (`<run id>-<attempt>`), so that a lost answer is found
 * again and clean-up closes this run's own check only.
 */
export async function createCheckRun(
  gh: GitHub,
  repository: RepositoryName,
  check: {
    readonly headSha: string;
    readonly externalId: string;
    readonly output: CheckOutput;
    readonly conclusion?: CheckConclusion;
  },
): Promise<CheckRun> {
  return gh.write(
    'create the check run',
    async octokit => {
      const { data } = await octokit.rest.checks.create({
        ...repository,
        name: CHECK_NAME,
        head_sha: check.headSha,
        external_id: check.externalId,
        output: toOutput(check.output),
        ...(check.conclusion === undefined
          ? { status: 'in_progress' as const }
          : { status: 'completed' as const, conclusion: check.conclusion }),
      });
      return toCheckRun(data);
    },
    () => findCheckRun(gh, repository, check.headSha, check.externalId),
  );
}

/**
 * Updates a check run; with a conclusion it is completed. Annotations are appended, so that a lost answer is decided
 * by the number that the check run has: `annotationsBefore` is how many it had when this request was made.
 */
export async function updateCheckRun(
  gh: GitHub,
  repository: RepositoryName,
  update: {
    readonly id: number;
    readonly output: CheckOutput;
    readonly conclusion?: CheckConclusion;
    readonly annotationsBefore?: number;
  },
): Promise<CheckRun> {
  const added = update.output.annotations?.length ?? 0;
  return gh.write(
    'update the check run',
    async octokit => {
      const { data } = await octokit.rest.checks.update({
        ...repository,
        check_run_id: update.id,
        output: toOutput(update.output),
        ...(update.conclusion === undefined ? {} : { status: 'completed' as const, conclusion: update.conclusion }),
      });
      return toCheckRun(data);
    },
    added === 0
      ? REPEATABLE
      : async () => {
          const now = await fetchCheckRun(gh, repository, update.id);
          return now.annotationCount >= (update.annotationsBefore ?? 0) + added ? now : null;
        },
  );
}

export async function fetchCheckRun(gh: GitHub, repository: RepositoryName, id: number): Promise<CheckRun> {
  const { data } = await gh.read('read the check run', octokit =>
    octokit.rest.checks.get({ ...repository, check_run_id: id }),
  );
  return toCheckRun(data);
}

/** Our check run of one run on a commit, the newest where there are several; null when there is none. */
export async function findCheckRun(
  gh: GitHub,
  repository: RepositoryName,
  headSha: string,
  externalId: string,
): Promise<CheckRun | null> {
  const found = await gh.read('list the check runs', octokit =>
    octokit.paginate(octokit.rest.checks.listForRef, {
      ...repository,
      ref: headSha,
      check_name: CHECK_NAME,
      filter: 'all',
      per_page: PAGE_SIZE,
    }),
  );
  const own = found.map(toCheckRun).filter(c => c.externalId === externalId && c.headSha === headSha);
  return own.sort((a, b) => b.id - a.id)[0] ?? null;
}

interface RestCheckRun {
  readonly id: number;
  readonly status: string;
  readonly conclusion: string | null;
  readonly external_id: string | null;
  readonly head_sha: string;
  readonly html_url: string | null;
  readonly output: { readonly annotations_count: number };
}

const toCheckRun = (data: RestCheckRun): CheckRun => ({
  id: data.id,
  status: data.status,
  conclusion: data.conclusion,
  externalId: data.external_id ?? '',
  headSha: data.head_sha,
  url: data.html_url ?? '',
  annotationCount: data.output.annotations_count,
});

const toOutput = (output: CheckOutput) => ({
  title: output.title,
  summary: output.summary,
  ...(output.text === undefined ? {} : { text: output.text }),
  ...(output.annotations === undefined
    ? {}
    : {
        annotations: output.annotations.map(a => ({
          path: a.path,
          start_line: a.startLine,
          end_line: a.endLine,
          ...(a.startColumn === undefined ? {} : { start_column: a.startColumn }),
          ...(a.endColumn === undefined ? {} : { end_column: a.endColumn }),
          annotation_level: a.level,
          title: a.title,
          message: a.message,
        })),
      }),
});
