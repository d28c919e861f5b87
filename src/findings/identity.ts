import type { RawFinding } from '../core/finding.ts';
import { pythonStatementAt, STATEMENT_REACH } from './python-statement.ts';

/** What makes two reports the same weakness in one file: nothing in it depends on a line number or on which tool ran. */
export interface Identity {
  /** The tool, or the family of tools that share rules (`python-security` for ruff and bandit). */
  readonly family: string;
  /** The tool's id; for the Python family the number alone (`602` of S602 and B602). */
  readonly rule: string;
  readonly path: string;
  /** Whitespace-normalised text. */
  readonly text: string;
}

/** Text of a 1-based line of a file, without its end of line; undefined where it is not at hand. */
export type LineOf = (path: string, line: number) => string | undefined;

/**
 * Identity of one raw finding. ruff and bandit mark different columns, and sometimes different lines, of one statement, so
 * that their text is the whole statement: read through `lineOf`, else the first line of the matched text.
 */
export function toIdentity(raw: RawFinding, lineOf?: LineOf): Identity {
  const path = normalisePath(raw.path);
  const number = pythonRuleNumber(raw.tool, raw.ruleId);
  if (number === undefined) return { family: raw.tool, rule: raw.ruleId, path, text: normaliseText(raw.matchedText) };
  const statement = pythonStatementAt(line => lineOf?.(raw.path, line), raw.startLine);
  return { family: PYTHON_FAMILY, rule: number, path, text: normaliseText(statement ?? firstLine(raw.matchedText)) };
}

/** First and last line that toIdentity may ask `lineOf` for. */
export function linesForIdentity({ tool, ruleId, startLine }: RawFinding): {
  readonly first: number;
  readonly last: number;
} {
  if (pythonRuleNumber(tool, ruleId) === undefined) return { first: startLine, last: startLine };
  return { first: Math.max(1, startLine - STATEMENT_REACH), last: startLine + STATEMENT_REACH };
}

/** Family and rule as one value, for tables. */
export function toRuleKey(tool: string, ruleId: string): string {
  const number = pythonRuleNumber(tool, ruleId);
  return JSON.stringify(number === undefined ? [tool, ruleId] : [PYTHON_FAMILY, number]);
}

/**
 * Whether a rule as people write it in the policy (`G204`, `gosec/G204`; S602 and B602 are one) is this rule of this tool.
 */
export function namesRule(written: string, tool: string, ruleId: string): boolean {
  if (written === ruleId || written === `${tool}/${ruleId}`) return true;
  const own = pythonRuleNumber(tool, ruleId);
  if (own === undefined) return false;
  const named = /^(?:(ruff|bandit)\/)?([SB])(\d{3,4})$/.exec(written);
  return named?.[3] === own && (named[1] === undefined || PYTHON_PREFIX[named[1]] === named[2]);
}

/** The identity as one value, for tables. */
export const toIdentityKey = ({ family, rule, path, text }: Identity): string =>
  JSON.stringify([family, rule, path, text]);

/** Runs of white space become one space; none at the ends. */
export const normaliseText = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** POSIX without `./`, doubled slashes and a leading slash; the bytes of names are left alone. */
export const normalisePath = (path: string): string =>
  path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/');

/** Name of the tool family, for what is counted once although two tools report it. */
export const toFamily = (tool: string): string => (Object.hasOwn(PYTHON_PREFIX, tool) ? PYTHON_FAMILY : tool);

const PYTHON_FAMILY = 'python-security';

// ruff's flake8-bandit rules keep bandit's numbers: S602 is B602.
const PYTHON_PREFIX: Readonly<Record<string, string>> = { ruff: 'S', bandit: 'B' };

function pythonRuleNumber(tool: string, ruleId: string): string | undefined {
  const prefix = Object.hasOwn(PYTHON_PREFIX, tool) ? PYTHON_PREFIX[tool] : undefined;
  if (prefix === undefined || !ruleId.startsWith(prefix)) return undefined;
  const number = ruleId.slice(prefix.length);
  return /^\d{3,4}$/.test(number) ? number : undefined;
}

const firstLine = (text: string): string => text.split('\n').find(line => line.trim() !== '') ?? '';
