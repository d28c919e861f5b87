import { toMessage } from '../core/errors.ts';
import type { Request } from '../core/request.ts';
import type { Decision } from '../event/decide.ts';
import { fetchBranchTip } from '../github/branches.ts';
import { fetchFile } from '../github/contents.ts';
import { fetchPullRequest, isFork } from '../github/pull-request.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy } from '../policy/schema.ts';
import { ensureRunFolder } from '../runner/folder.ts';
import type { Resolving } from './resolving.ts';

type ReviewTarget =
  | { readonly kind: 'skip'; readonly reason: string }
  | {
      readonly kind: 'target';
      readonly headSha: string;
      readonly pullRequest: NonNullable<Request['pullRequest']>;
      readonly authorIsBot: boolean;
      /** Null when it cannot be read, which `analyze` reports. */
      readonly policy: Policy | null;
      /** Fetches head, base tip and the history down to their merge base. */
      fetchCommits(): Promise<Pick<Request, 'headSha' | 'baseSha' | 'mergeBaseSha'>>;
    };

/** Reads the live pull request and settles which commit is reviewed, once. */
export async function readReviewTarget(
  resolving: Resolving,
  decision: Extract<Decision, { kind: 'review' }>,
): Promise<ReviewTarget> {
  const { gh, repository, inputs, context } = resolving;
  const pull = await fetchPullRequest(gh, repository, decision.number);
  if (pull.state !== 'open') return { kind: 'skip', reason: 'the pull request is closed' };
  const headSha = decision.headSha ?? pull.headSha;
  if (decision.onAction !== null) {
    if (pull.draft) return { kind: 'skip', reason: 'draft pull request (reviewed when marked ready)' };
    if (pull.headSha !== headSha) {
      return { kind: 'skip', reason: `the head moved to ${pull.headSha.slice(0, 12)}, which has a run of its own` };
    }
  }
  const baseSha = await fetchBranchTip(gh, repository, pull.baseRef);
  const policy = await readPolicy(resolving, baseSha);
  if (decision.onAction !== null && policy?.review.on.includes(decision.onAction) === false) {
    return { kind: 'skip', reason: `the policy's review.on does not list ${decision.onAction}` };
  }
  return {
    kind: 'target',
    headSha,
    authorIsBot: pull.authorType === 'Bot',
    policy,
    pullRequest: {
      number: pull.number,
      title: pull.title,
      body: pull.body,
      author: pull.author,
      fork: isFork(pull, repository),
      headRef: pull.headRef,
      baseRef: pull.baseRef,
      url: pull.url,
    },
    async fetchCommits() {
      const { fetchPullRequest: fetchCommits } = await import('../workspace/checkout.ts');
      const { env } = context;
      const fetched = await fetchCommits({
        gitDir: ensureRunFolder(env).repository,
        url: `${env['GITHUB_SERVER_URL'] || 'https://github.com'}/${repository.owner}/${repository.repo}.git`,
        token: inputs.githubToken,
        signal: context.signal,
        searchPath: env['PATH'],
        network: toNetwork(env),
        headSha,
        baseSha,
      });
      return { headSha: fetched.headSha, baseSha: fetched.baseSha, mergeBaseSha: fetched.mergeBaseSha };
    },
  };
}

/** A policy that cannot be read stops nothing here: `analyze` reads it again and reports what is wrong with it. */
async function readPolicy({ gh, repository, inputs, context }: Resolving, baseSha: string): Promise<Policy | null> {
  try {
    return parsePolicy(await fetchFile(gh, repository, inputs.configPath, baseSha), inputs.configPath);
  } catch (error) {
    context.log.info(`the policy could not be read yet: ${toMessage(error)}`);
    return null;
  }
}

const NETWORK_VARIABLES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];

export function toNetwork(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = NETWORK_VARIABLES.map(name => [name, env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}
