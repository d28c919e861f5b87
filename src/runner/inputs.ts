import { CypherFixError } from '../core/errors.ts';

export const MODES = ['auto', 'review', 'triage', 'analyze', 'publish'] as const;
export type Mode = (typeof MODES)[number];

export const FAIL_ON_GATE = ['auto', 'true', 'false'] as const;
export type FailOnGate = (typeof FAIL_ON_GATE)[number];

/** The action's inputs as action.yml maps them to `INPUT_*`; each step gets only those that it may see. */
export interface Inputs {
  readonly githubToken: string;
  readonly configPath: string;
  readonly mode: Mode;
  readonly reportPath: string | null;
  readonly pullRequest: number | null;
  readonly imagesLock: string | null;
  readonly trustedBots: readonly string[];
  readonly failOnGate: FailOnGate;
  readonly anthropicApiKey: string | null;
  readonly openaiApiKey: string | null;
  readonly openrouterApiKey: string | null;
  readonly modelBaseUrl: string | null;
  readonly federationRuleId: string | null;
  readonly organizationId: string | null;
  readonly workspaceId: string | null;
  readonly serviceAccountId: string | null;
  readonly oidcAudience: string | null;
  readonly neo4jUri: string | null;
  readonly neo4jUser: string | null;
  readonly neo4jPassword: string | null;
  readonly neo4jDatabase: string | null;
}

/** Reads and checks the inputs; throws CypherFixError('usage') that names the input, the value and what is allowed. */
export function readInputs(env: NodeJS.ProcessEnv): Inputs {
  return {
    githubToken: readInput(env, 'github-token') ?? '',
    configPath: readRelativePath(env, 'config-path') ?? '.cypherfix.yml',
    mode: readChoice(env, 'mode', MODES, 'auto'),
    reportPath: readInput(env, 'report-path'),
    pullRequest: readNumber(env, 'pull-request'),
    imagesLock: readInput(env, 'images-lock'),
    trustedBots: readList(env, 'trusted-bots'),
    failOnGate: readChoice(env, 'fail-on-gate', FAIL_ON_GATE, 'auto'),
    anthropicApiKey: readInput(env, 'anthropic-api-key'),
    openaiApiKey: readInput(env, 'openai-api-key'),
    openrouterApiKey: readInput(env, 'openrouter-api-key'),
    modelBaseUrl: readInput(env, 'model-base-url'),
    federationRuleId: readInput(env, 'anthropic-federation-rule-id'),
    organizationId: readInput(env, 'anthropic-organization-id'),
    workspaceId: readInput(env, 'anthropic-workspace-id'),
    serviceAccountId: readInput(env, 'anthropic-service-account-id'),
    oidcAudience: readInput(env, 'anthropic-oidc-audience'),
    neo4jUri: readInput(env, 'neo4j-uri'),
    neo4jUser: readInput(env, 'neo4j-user'),
    neo4jPassword: readInput(env, 'neo4j-password'),
    neo4jDatabase: readInput(env, 'neo4j-database'),
  };
}

/** `INPUT_` plus the name in upper case; action.yml maps with `_` for `-`, since dash drops names with a hyphen. */
export const inputVariable = (name: string): string => `INPUT_${name.toUpperCase().replace(/-/g, '_')}`;

function readInput(env: NodeJS.ProcessEnv, name: string): string | null {
  const value = env[inputVariable(name)]?.trim() ?? '';
  return value === '' ? null : value;
}

function readChoice<T extends string>(env: NodeJS.ProcessEnv, name: string, choices: readonly T[], otherwise: T): T {
  const value = readInput(env, name);
  if (value === null) return otherwise;
  const choice = choices.find(c => c === value.toLowerCase());
  if (choice === undefined) throw refuse(name, value, `one of ${choices.join(', ')}`);
  return choice;
}

function readNumber(env: NodeJS.ProcessEnv, name: string): number | null {
  const value = readInput(env, name);
  if (value === null) return null;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw refuse(name, value, 'a number of a pull request');
  return Number(value);
}

function readRelativePath(env: NodeJS.ProcessEnv, name: string): string | null {
  const value = readInput(env, name);
  if (value === null) return null;
  const parts = value.split('/');
  if (value.startsWith('/') || value.includes('\0') || parts.includes('..') || parts.includes('')) {
    throw refuse(name, value, 'a path inside the repository, without ..');
  }
  return parts.filter(p => p !== '.').join('/');
}

const readList = (env: NodeJS.ProcessEnv, name: string): string[] =>
  (readInput(env, name) ?? '').split(/[\s,]+/).filter(item => item !== '');

const refuse = (name: string, value: string, allowed: string) =>
  new CypherFixError('usage', `input ${name}: '${value}' is not allowed, expected ${allowed}`);
