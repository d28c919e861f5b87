import { CypherFixError } from '../core/errors.ts';
import { type LinguistAttributes, readLinguistAttributes } from '../findings/linguist-attributes.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What `.gitattributes` says where the policy comes from. A file too large to be read says nothing but a notice. */
export async function readAttributes({
  readPolicyFile,
}: Pick<Workspace, 'readPolicyFile'>): Promise<LinguistAttributes> {
  try {
    const bytes = await readPolicyFile('.gitattributes');
    const { isGenerated, notices } = readLinguistAttributes(bytes?.toString('utf8') ?? '');
    return { isGenerated: askOnce(isGenerated), notices };
  } catch (error) {
    if (!(error instanceof CypherFixError) || error.code !== 'policy') throw error;
    return { isGenerated: () => false, notices: [`${error.message}: it has no effect.`] };
  }
}

/** A file has many findings. */
function askOnce(test: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return path => {
    const answer = known.get(path) ?? test(path);
    known.set(path, answer);
    return answer;
  };
}
