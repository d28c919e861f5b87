import { CypherFixError } from '../core/errors.ts';
import type { Git } from './git.ts';

/** Older ones ignore settings given in the environment (GIT_CONFIG_COUNT) without a word. */
const OLDEST = [2, 31] as const;

/** Throws when git is missing or too old for what we ask of it. */
export async function assertGitVersion(git: Git): Promise<void> {
  const said = (await git.run(['version'])).stdout.toString('utf8').trim();
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(said) ?? [];
  if (major === undefined || minor === undefined) {
    throw new CypherFixError('missing', `git answers ${JSON.stringify(said.slice(0, 80))} when asked for its version`);
  }
  if (Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1])) return;
  throw new CypherFixError('missing', `git ${major}.${minor} is too old; ${OLDEST.join('.')} or later is needed`, {
    hint: 'Install a newer git.',
  });
}
