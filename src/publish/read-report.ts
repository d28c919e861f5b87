import { CypherFixError, toMessage } from '../core/errors.ts';
import { parseReport, type Report } from '../core/report.ts';
import { Request } from '../core/request.ts';

/** Bytes of a report.json or request.json that are read; a report of 20,000 findings has about 30 MiB. */
export const MAX_REPORT_BYTES = 48 * 1024 * 1024;

/** Parses request.json; throws CypherFixError('policy') that names the file and the key. */
export const toRequest = (bytes: Buffer): Request => parse('request.json', bytes, value => Request.parse(value));

/** Parses report.json; throws CypherFixError('policy') that names the file and the key. */
export const toReport = (bytes: Buffer): Report => parse('report.json', bytes, parseReport);

export interface Binding {
  readonly repository: string;
  readonly pullRequest: number | null;
  readonly headSha: string;
}

/**
 * Throws CypherFixError('policy') unless the report is about this repository, this pull request and this very commit.
 * Whoever can put a report where ours is expected must not get it published elsewhere.
 */
export function assertBound(report: Report, binding: Binding): void {
  const { subject } = report;
  const differing = [
    subject.repository?.toLowerCase() === binding.repository.toLowerCase() ? null : 'repository',
    (subject.pullRequest ?? null) === binding.pullRequest ? null : 'pull request',
    subject.headSha === binding.headSha ? null : 'head commit',
  ].filter(name => name !== null);
  if (differing.length === 0) return;
  throw new CypherFixError('policy', `report.json is about another ${differing.join(' and ')}; it is not published`);
}

function parse<T>(name: string, bytes: Buffer, read: (value: unknown) => T): T {
  if (bytes.length > MAX_REPORT_BYTES) {
    throw new CypherFixError('policy', `${name} has ${bytes.length} bytes, more than ${MAX_REPORT_BYTES}`);
  }
  try {
    return read(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new CypherFixError('policy', `${name} is not what this version writes: ${reasonOf(error)}`, { cause: error });
  }
}

/** The first problem with its key path; the text of an untrusted file does not get into the message at length. */
function reasonOf(error: unknown): string {
  const issues = (error as { issues?: { path: PropertyKey[]; message: string }[] }).issues;
  const first = issues?.[0];
  if (first === undefined) return toMessage(error).slice(0, 200);
  const more = (issues?.length ?? 1) - 1;
  return `${first.path.map(String).join('.') || 'document'}: ${first.message}${more > 0 ? ` (and ${more} more)` : ''}`.slice(
    0,
    300,
  );
}
