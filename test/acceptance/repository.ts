import { openLocalWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { createTempRepo } from '../workspace/temp-repo.ts';

export type ReadRepository = Pick<Workspace, 'change' | 'head' | 'close'>;

type Files = Readonly<Record<string, string>>;

/** A real repository of two commits, opened as a review opens it. */
export async function createRepository(base: Files, head: Files): Promise<ReadRepository> {
  const repo = createTempRepo();
  const write = (files: Files) => {
    for (const [path, content] of Object.entries(files)) repo.write(path, content);
  };
  write(base);
  const baseSha = repo.commit('base');
  write(head);
  repo.commit('head');
  const workspace = await openLocalWorkspace({ repo: repo.path, base: baseSha, searchPath: process.env['PATH'] });
  return {
    change: workspace.change,
    head: workspace.head,
    close: async () => {
      await workspace.close();
      repo.remove();
    },
  };
}
