import type { Request } from '../core/request.ts';
import type { Event } from '../event/payload.ts';
import type { GitHub } from '../github/client.ts';
import type { RepositoryName } from '../github/repository-name.ts';
import type { Inputs } from '../runner/inputs.ts';
import type { CommandContext } from './context.ts';

/** What every part of resolving works with. */
export interface Resolving {
  readonly gh: GitHub;
  readonly repository: RepositoryName;
  readonly event: Event;
  readonly inputs: Inputs;
  readonly context: CommandContext;
}

/** What a request holds whatever the task is. */
export type Common = Pick<
  Request,
  'schemaVersion' | 'repository' | 'private' | 'defaultBranch' | 'serverUrl' | 'runId' | 'runAttempt'
>;
