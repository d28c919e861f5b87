import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CypherFixError } from '../core/errors.ts';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hex digits');

export const LockedImage = z.object({
  /** Repository without tag or digest; absent for an image that was built on this machine. */
  reference: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._:/-]*$/, 'expected a repository without tag or digest')
    .exactOptional(),
  configDigest: digest,
  manifestDigest: digest.exactOptional(),
  diffIds: z.array(digest).min(1),
  configHash: z.string(),
  tools: z.record(z.string(), z.string()),
  debian: z.array(z.object({ name: z.string(), version: z.string(), sha256: z.string() })),
  createdBy: z.string(),
});
export type LockedImage = z.infer<typeof LockedImage>;

export const ImageLock = z.object({ version: z.literal(1), images: z.record(z.string(), LockedImage) });
export type ImageLock = z.infer<typeof ImageLock>;

/** Reads an image lock; a file that does not exist is an empty lock. A bad one is an error with file and key path. */
export async function readImageLock(path: string): Promise<ImageLock> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, images: {} };
    throw new CypherFixError('missing', `the image lock ${path} cannot be read`, { cause: error });
  }
  return parseImageLock(text, path);
}

/** Parses the text of a lock; `path` is for the message only. */
export function parseImageLock(text: string, path: string): ImageLock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CypherFixError('policy', `${path} is not JSON`, { hint: 'run: npm run setup', cause });
  }
  // Read once: compiling a parser for it would take longer.
  const parsed = ImageLock.safeParse(value, { jitless: true });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the document'}: ${issue.message}`);
    throw new CypherFixError('policy', `${path} is not an image lock: ${issues.join('; ')}`, {
      hint: 'run: npm run setup',
    });
  }
  return parsed.data;
}
