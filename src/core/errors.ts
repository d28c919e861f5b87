/** Exit status of the local commands (contract). Values follow sysexits where one fits. */
export const EXIT = {
  passed: 0,
  tripped: 1,
  incomplete: 2,
  usage: 64,
  missing: 69,
  internal: 70,
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Who must act on an error: the caller, the machine's owner, GitHub or the network, us, or nobody. */
export const ERROR_CODES = [
  'usage',
  'policy',
  'missing',
  'permission',
  'github',
  'git',
  'sandbox',
  'interrupted',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

const EXIT_OF_CODE: Record<ErrorCode, ExitStatus> = {
  usage: EXIT.usage,
  policy: EXIT.usage,
  missing: EXIT.missing,
  permission: EXIT.missing,
  github: EXIT.missing,
  git: EXIT.missing,
  sandbox: EXIT.missing,
  interrupted: EXIT.interrupted,
  internal: EXIT.internal,
};

/** An expected failure with a message fit for people and, where one exists, a hint that says what to do. */
export class CypherFixError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CypherFixError';
    this.code = code;
    this.hint = options.hint;
  }

  get exitStatus(): ExitStatus {
    return EXIT_OF_CODE[this.code];
  }
}

/** The message of anything thrown, on one line. */
export function toMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim() || 'unknown error';
}

/** Exit status for anything thrown; what we did not expect is an internal error. */
export function toExitStatus(error: unknown): ExitStatus {
  return error instanceof CypherFixError ? error.exitStatus : EXIT.internal;
}
