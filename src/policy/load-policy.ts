import { POLICY_FILE, type ReadPolicyFile } from './policy-file.ts';
import { DEFAULT_POLICY, type Policy } from './schema.ts';

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
  if (bytes === null) return { policy: DEFAULT_POLICY, fileName, present: false, notices: [] };
  // A parser of YAML is loaded for those who have a file.
  const [{ parsePolicyFile }, { listUnusedKeys }] = await Promise.all([
    import('./parse-policy.ts'),
    import('./unused-keys.ts'),
  ]);
  const { policy, raw } = parsePolicyFile(bytes, fileName);
  return { policy, fileName, present: true, notices: listUnusedKeys(raw).map(text => `${fileName}: ${text}`) };
}
