import { join } from 'node:path';

/** Where the image locks lie: of the images built on this machine, and of the published ones. */
export interface LockPaths {
  readonly local: string;
  readonly published: string;
}

/** `imagesLock` is another file than the committed one (the input `images-lock`). */
export function toLockPaths(of: {
  readonly actionPath: string;
  readonly home: string;
  readonly imagesLock?: string | undefined;
}): LockPaths {
  return {
    local: join(of.home, 'images.lock.json'),
    published: of.imagesLock ?? join(of.actionPath, 'sandbox', 'images.lock.json'),
  };
}
