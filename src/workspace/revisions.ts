import { CypherFixError } from '../core/errors.ts';
import type { ObjectReader } from './object-reader.ts';

const MAX_COMMIT_BYTES = 0;

/** The full id of the commit that a revision names. Throws a usage error with the revision in it when there is none. */
export async function resolveCommit(objects: ObjectReader, revision: string, what: string): Promise<string> {
  const commit = await findCommit(objects, revision);
  if (commit !== null) return commit;
  throw new CypherFixError('usage', `unknown revision for ${what}: ${JSON.stringify(revision)}`, {
    hint: 'Name a branch, a tag or a commit that this clone has; `git fetch` brings missing ones.',
  });
}

/** The full id of the commit that a revision names, null when the repository has none. */
export async function findCommit(objects: ObjectReader, revision: string): Promise<string | null> {
  // The reader takes names on its input, never as arguments; still no revision starts with a dash.
  if (revision === '' || revision.startsWith('-')) return null;
  return (await objects.read(`${revision}^{commit}`, MAX_COMMIT_BYTES))?.id ?? null;
}
