import { type GitUse, openSession } from './open-session.ts';

/**
 * `owner/name` of the repository that holds `folder`, by its remote `origin`; null where it has none, or one that is no
 * address of a server.
 */
export async function readOriginName(folder: string, use: GitUse): Promise<string | null> {
  const session = await openSession(folder, use);
  try {
    return toRepositoryName(session.privateDir.originUrl ?? '');
  } finally {
    await session.close();
  }
}

/** `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name`. */
export function toRepositoryName(url: string): string | null {
  const [, path] = /^(?:(?:https?|ssh|git):\/\/[^/]+\/|[\w.-]+@[\w.-]+:)(.+?)(?:\.git)?\/?$/i.exec(url.trim()) ?? [];
  return path !== undefined && /^[\w-]{1,100}\/[\w.-]{1,100}$/.test(path) ? path : null;
}
