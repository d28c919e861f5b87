import type { LoadedPolicy } from '../policy/load-policy.ts';
import type { RuleSource } from '../scanners/parse-rules.ts';
import type { Workspace } from '../workspace/workspace.ts';

export interface OwnRules {
  readonly sources: readonly RuleSource[];
  /** Plain sentences: why the policy's folder gives fewer rules than somebody may think. */
  readonly notices: readonly string[];
}

type PolicyFiles = Pick<Workspace, 'listPolicyFiles' | 'readPolicyFile'>;

/**
 * Rules of the repository's own, from the folder that the policy names, at the tip of the base branch. A folder that gives
 * none ends no review, as a wrong rule does not: a notice tells.
 */
export async function readOwnRules(workspace: PolicyFiles, { policy, fileName }: LoadedPolicy): Promise<OwnRules> {
  const folder = policy.scanners.rules.extra;
  if (folder === null) return { sources: [], notices: [] };
  const tell = (what: string): string => `${fileName}: scanners.rules.extra: ${what}.`;
  const listed = await workspace.listPolicyFiles(folder);
  const paths = listed.filter(isRuleFile);
  if (paths.length === 0)
    return { sources: [], notices: [tell(`${whyNone(folder, listed)}; no rule of it is applied`)] };
  const sources: RuleSource[] = [];
  const notices: string[] = [];
  for (const path of paths) {
    const bytes = await workspace.readPolicyFile(path);
    if (bytes === null) notices.push(tell(`${path} is no regular file and not read`));
    else sources.push({ name: path, text: bytes.toString('utf8') });
  }
  return { sources, notices };
}

const isRuleFile = (path: string): boolean => /\.ya?ml$/.test(path) && !path.split('/').includes('tests');

/** The base is where people look last: a folder that the change itself adds is not there yet. */
const whyNone = (folder: string, listed: readonly string[]): string =>
  listed.length === 0
    ? `there is no folder ${folder} at the base`
    : `${folder} holds no rule file (.yml, .yaml, not below a folder tests) at the base`;
