import { isFeatureAvailable, restoreCache, saveCache } from '@actions/cache';
import { toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

/** Where an image archive is kept between runs: one folder, and the key of what is in it. */
export interface CachedFolder {
  /** Absolute, and the same in every run: the cache takes another folder for another entry. */
  readonly folder: string;
  readonly key: string;
}

/** `hash` is the image definition's, with or without its algorithm; `arch` is Node's name of the processor. */
export const toImageKey = (imageClass: string, hash: string, arch: string): string =>
  `cypherfix-image-${imageClass}-${hash.replace(/^sha256:/, '')}-${arch}`;

/** Fills the folder from the cache of GitHub Actions; true when there was an entry. A cache that fails is none. */
export async function restoreImages({ folder, key }: CachedFolder, log: Log): Promise<boolean> {
  if (!isFeatureAvailable()) {
    log.info('there is no cache of GitHub Actions here; the image is built');
    return false;
  }
  try {
    if ((await restoreCache([folder], key)) === key) return true;
    log.info(`the cache has no ${key}`);
  } catch (error) {
    log.info(`the cache could not be read: ${toMessage(error)}`);
  }
  return false;
}

/** Saves the folder; false when the cache takes nothing (read-only in this run, broken, or the key is taken). */
export async function saveImages({ folder, key }: CachedFolder, log: Log): Promise<boolean> {
  if (!isFeatureAvailable()) return false;
  try {
    if ((await saveCache([folder], key)) >= 0) {
      log.info(`saved in the cache as ${key}`);
      return true;
    }
    log.info(`the cache did not take ${key}: it is read-only in this run, or another run was first`);
  } catch (error) {
    log.info(`the cache could not be written: ${toMessage(error)}`);
  }
  return false;
}
