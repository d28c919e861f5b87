import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AiSetup, runAiReview } from '../../src/analysis/ai-review.ts';
import { createStopwatch } from '../../src/analysis/stopwatch.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import type { SecretRegistry } from '../../src/core/secrets.ts';
import type { Model } from '../../src/model/model.ts';
import type { Policy } from '../../src/policy/schema.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openLocalWorkspace } from '../../src/workspace/workspace.ts';
import type { Case, Variant } from './cases.ts';
import type { Reviewed } from './score.ts';

export interface Reviewing {
  readonly policy: Policy;
  readonly ai: Extract<AiSetup, { kind: 'review' }>;
  readonly secrets: SecretRegistry;
  readonly searchPath: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * One variant of a case through reviewers, reflection and judge, in a repository of its own; no scanner and no test runs. The
 * same case is the same repository, commit for commit, so that a recording fits again.
 */
export async function reviewCase(item: Case, variant: Variant, reviewing: Reviewing): Promise<Omit<Reviewed, 'ms'>> {
  const folder = mkdtempSync(join(tmpdir(), 'cypherfix-eval-'));
  try {
    layRepository(folder, item, variant, reviewing.searchPath);
    const { searchPath, signal, policy, secrets } = reviewing;
    const workspace = await openLocalWorkspace({ repo: folder, base: 'main~1', head: 'main', searchPath, signal });
    try {
      const { outcome, cost } = await runAiReview({
        ai: { ...reviewing.ai, title: item.title, body: item.body },
        policy,
        workspace,
        sandbox: NO_SANDBOX,
        issues: [],
        known: [],
        scannerRaw: [],
        previousOpen: [],
        spentUsd: 0,
        secrets,
        stopwatch: createStopwatch(SILENT_LOG),
        now: () => new Date(),
        // Nobody attacks our own cases; a recording needs the same boundary again.
        random: () => createHash('sha256').update(`${item.name} ${variant}`).digest('hex').slice(0, 16),
        signal,
      });
      const { findings = [], failures = [] } = outcome ?? {};
      return { case: item.name, variant, findings, failures, score: outcome?.review.score ?? null, cost };
    } finally {
      await workspace.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The model, with the milliseconds that each role waited for it. */
export function timedModel(model: Model): { readonly model: Model; readonly ms: Record<string, number> } {
  const ms: Record<string, number> = {};
  const call: Model['call'] = async (request, signal) => {
    const started = performance.now();
    try {
      return await model.call(request, signal);
    } finally {
      ms[request.role] = Math.round((ms[request.role] ?? 0) + performance.now() - started);
    }
  };
  return { model: { call }, ms };
}

const NO_SANDBOX: Sandbox = {
  run: async () => {
    throw new CypherFixError('internal', 'the evaluation runs no tests');
  },
  close: async () => {},
};

function layRepository(folder: string, item: Case, variant: Variant, searchPath: string | undefined): void {
  const env = {
    PATH: searchPath ?? '',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Author',
    GIT_AUTHOR_EMAIL: 'author@example.org',
    GIT_COMMITTER_NAME: 'Author',
    GIT_COMMITTER_EMAIL: 'author@example.org',
    GIT_AUTHOR_DATE: '1790000000 +0000',
    GIT_COMMITTER_DATE: '1790000000 +0000',
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  git('init', '-q', '-b', 'main');
  for (const [files, message] of [
    [item.base, 'Begin'],
    [item.files[variant], item.title],
  ] as const) {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    git('add', '-A');
    git('commit', '-q', '-m', message);
  }
}
