import type { Request } from '../core/request.ts';
import type { Policy } from '../policy/schema.ts';

/** Why no model is to look at this run although one could; null when the AI review is due. */
export function whyNoAi(request: Pick<Request, 'restricted' | 'task' | 'request'>, policy: Policy): string | null {
  if (request.restricted) return 'for a fork, an outsider or a bot the scanners alone work';
  if (request.task !== 'review') return 'this run examines no pull request';
  if (request.request.trigger === 'pull_request.synchronize' && !policy.ai.on_push) {
    return 'a push started this run, and ai.on_push of the policy is off; `/cypherfix review full` asks for it';
  }
  return null;
}
