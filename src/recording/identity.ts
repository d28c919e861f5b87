import { createHash } from 'node:crypto';
import type { Change } from '../core/change.ts';
import type { Policy } from '../policy/schema.ts';
import type { Recording } from './recording.ts';

export const toShas = ({ baseSha, mergeBaseSha, headSha }: Change): Recording['shas'] => ({
  base: baseSha ?? null,
  mergeBase: mergeBaseSha ?? null,
  head: headSha ?? null,
});

/** Over what git says of every file, so that a work tree is known again too. */
export function hashChange({ wholeTree, files }: Change): string {
  const rows = files.map(({ path, rawPath, previousPath, status, oldMode, newMode, oldBlob, newBlob }) => [
    path,
    rawPath ?? null,
    previousPath ?? null,
    status,
    oldMode,
    newMode,
    oldBlob,
    newBlob,
  ]);
  return sha256(JSON.stringify([wholeTree, rows]));
}

export const hashPolicy = (policy: Policy): string => sha256(JSON.stringify(policy));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
