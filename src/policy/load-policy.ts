import { CypherFixError } from '../core/errors.ts';
import { explainIssue, toKeyText } from './explain-issue.ts';
import { Policy } from './schema.ts';
import { listUnusedKeys } from './unused-keys.ts';
import { type FileFault, parseYamlFile } from './yaml-file.ts';

export const POLICY_FILE = '.cypherfix.yml';

/** Gives the file's bytes at the tip of the base branch (git or the API), null where there is no such file. */
export type ReadPolicyFile = (path: string) => Promise<Uint8Array | null>;

export interface LoadedPolicy {
  readonly policy: Policy;
  /** Repository path the policy was read from. */
  readonly fileName: string;
  /** False where the file is absent and the defaults hold. */
  readonly present: boolean;
  /** Plain sentences: keys that are set and that this version does not act on. */
  readonly notices: readonly string[];
}

/** Reads the policy through `read`. Throws CypherFixError('policy') as parsePolicy does; errors of `read` pass through. */
export async function loadPolicy(read: ReadPolicyFile, fileName: string = POLICY_FILE): Promise<LoadedPolicy> {
  const bytes = await read(fileName);
  const { policy, raw } = parse(bytes, fileName);
  const unused = listUnusedKeys(raw);
  return { policy, fileName, present: bytes !== null, notices: unused.map(text => `${fileName}: ${text}`) };
}

/**
 * The policy in these bytes, defaults filled in; null or an empty file is the defaults alone.
 * Throws CypherFixError('policy') with one line a fault: `<file>:<line>: <key path>: expected …`.
 */
export function parsePolicy(bytes: Uint8Array | null, fileName: string = POLICY_FILE): Policy {
  return parse(bytes, fileName).policy;
}

function parse(bytes: Uint8Array | null, fileName: string): { policy: Policy; raw: unknown } {
  if (bytes === null) return { policy: Policy.parse({}), raw: {} };
  const file = parseYamlFile(bytes);
  if (file.faults.length > 0) throw toPolicyError(fileName, file.faults);
  const raw = file.value ?? {};
  const result = Policy.safeParse(raw);
  if (result.success) return { policy: result.data, raw };
  const explained = result.error.issues.flatMap(explainIssue);
  throw toPolicyError(
    fileName,
    explained.map(({ keyPath, text }) => ({ line: file.lineOf(keyPath), keyPath, text })),
  );
}

const MAX_FAULTS_SHOWN = 50;

function toPolicyError(fileName: string, faults: readonly FileFault[]): CypherFixError {
  const sorted = [...faults].sort((a, b) => a.line - b.line);
  const lines = sorted.slice(0, MAX_FAULTS_SHOWN).map(({ line, keyPath, text }) => {
    const key = toKeyText(keyPath);
    return `${fileName}:${line}: ${key === '' ? '' : `${key}: `}${text}`;
  });
  if (sorted.length > lines.length) lines.push(`${fileName}: ${sorted.length - lines.length} more faults`);
  return new CypherFixError('policy', lines.join('\n'), {
    hint: 'Correct the file; `cypherfix schema` prints its JSON Schema for editors.',
  });
}
