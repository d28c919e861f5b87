import { CypherFixError } from '../core/errors.ts';

interface GitFailure {
  readonly stderr: string;
  readonly cause?: unknown;
}

/** What git said, as an error that tells people what to do. */
export function toGitError(args: readonly string[], failure: GitFailure): CypherFixError {
  if (isNotFound(failure.cause)) {
    return new CypherFixError('missing', 'git was not found on PATH', {
      hint: 'Install git 2.31 or later, for example with: apt-get install git',
      cause: failure.cause,
    });
  }
  for (const [pattern, toError] of KNOWN) {
    if (pattern.test(failure.stderr)) return toError(firstLine(failure.stderr));
  }
  const said = firstLine(failure.stderr);
  return new CypherFixError('git', `git ${args[0]} failed${said ? `: ${said}` : ''}`, { cause: failure.cause });
}

const KNOWN: readonly (readonly [RegExp, (said: string) => CypherFixError])[] = [
  [
    /unknown repository extension|Expected git repo version|repository format version|invalid value for 'extensions\./i,
    said =>
      new CypherFixError('missing', `this git is too old for the repository's format: ${said}`, {
        hint: 'Install a newer git.',
      }),
  ],
  [
    /unable to read [0-9a-f]{40}|missing blob|bad object|unable to read tree|could not get object info|lazy fetching/i,
    said =>
      new CypherFixError('git', `the clone lacks objects that the review needs: ${said}`, {
        hint: 'The clone is partial (--filter) or damaged. Run `git fetch --refetch --no-filter` or clone again in full.',
      }),
  ],
  [
    /Authentication failed|could not read Username|HTTP 40[13]|returned error: 40[13]/i,
    said =>
      new CypherFixError('permission', `the server refused to let git read: ${said}`, {
        hint: 'The token needs `contents: read` on the repository.',
      }),
  ],
];

function isNotFound(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

function firstLine(stderr: string): string {
  const lines = stderr.split('\n').map(line => line.trim());
  return lines.find(line => /^(fatal|error):/.test(line)) ?? lines.find(line => line !== '') ?? '';
}
