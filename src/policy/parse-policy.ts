import { CypherFixError } from '../core/errors.ts';
import { explainIssue, toKeyText } from './explain-issue.ts';
import { POLICY_FILE } from './policy-file.ts';
import { DEFAULT_POLICY, Policy } from './schema.ts';
import { type FileFault, parseYamlFile } from './yaml-file.ts';

/**
 * The policy in these bytes, defaults filled in; null or an empty file is the defaults alone.
 * Throws CypherFixError('policy') with one line a fault: `<file>:<line>: <key path>: expected …`.
 */
export function parsePolicy(bytes: Uint8Array | null, fileName: string = POLICY_FILE): Policy {
  return bytes === null ? DEFAULT_POLICY : parsePolicyFile(bytes, fileName).policy;
}

/** The same, with what the file itself says. */
export function parsePolicyFile(bytes: Uint8Array, fileName: string): { policy: Policy; raw: unknown } {
  const file = parseYamlFile(bytes);
  if (file.faults.length > 0) throw toPolicyError(fileName, file.faults);
  const raw = file.value ?? {};
  const result = Policy.safeParse(raw, { jitless: true });
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
