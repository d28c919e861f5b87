import { codePointLength, takeCodePoints } from './text.ts';

/** Masks what looks like a secret: the first four characters stay, the rest becomes its length. Masked text stays as is. */
export function redactEvidence(text: string): string {
  let result = text;
  for (const shape of SHAPES) result = result.replace(shape, mask);
  result = result.replace(SCHEME, (_, scheme: string, value: string) => scheme + mask(value));
  result = result.replace(
    COOKIE,
    (_, name: string, cookies: string) => name + cookies.replace(COOKIE_VALUE, maskCookie),
  );
  result = result.replace(SECRET_HEADER, (whole, name: string, value: string) =>
    value.includes(MASKED) || NOT_SECRET_HEADER.test(name) ? whole : name + mask(value),
  );
  return result.replace(ASSIGNMENT, (_, name: string, value: string) => name + mask(value));
}

const MASKED = '[REDACTED';

const mask = (value: string): string => `${takeCodePoints(value, 4)}${MASKED} ${codePointLength(value)} chars]`;

const maskCookie = (_: string, equals: string, value: string): string => equals + mask(value);

// Names and first parts are bounded, so that the time stays linear in the text.
// `[^\n]` and look-arounds on \n stand where the rules mean a line: JavaScript's own `.` and `^` also stop at \r.
const LINE_START = '(?<![^\\n])[ \\t]*';

/** Secrets that show by themselves. The order matters: what is masked first is not seen by the next. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?=\n?$))/g,
  /(?<![\p{L}\p{N}_])eyJ[\p{L}\p{N}_-]{5,4096}\.[\p{L}\p{N}_-]{5,}\.[\p{L}\p{N}_-]*/gu,
  /(?<![\p{L}\p{N}_])(?:AKIA|ASIA)[0-9A-Z]{16}(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}_])sk-[A-Za-z0-9_-]{20,}/gu,
  /AIza[A-Za-z0-9_-]{35}/g,
  /(?<![\p{L}\p{N}_])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})/gu,
  /(?<![\p{L}\p{N}_])glpat-[A-Za-z0-9_-]{20,}/gu,
  /(?<![\p{L}\p{N}_])xox[abposr]-[A-Za-z0-9-]{10,}/gu,
  /(?<![\p{L}\p{N}_])hf_[A-Za-z0-9]{30,}/gu,
  /(?<![\p{L}\p{N}_])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}/gu,
];

const SCHEME = /((?<![\p{L}\p{N}_])(?:Bearer|Basic|Token)\s+)([A-Za-z0-9._~+/=-]{8,})/giu;

const COOKIE = new RegExp(`(${LINE_START}Cookie[ \\t]*:)([^\\r\\n]*)`, 'gi');
const COOKIE_VALUE = /(=)(?![^;\s]{0,4}\[REDACTED)([^;\s]{6,})/g;

const SECRET_HEADER = new RegExp(
  `(${LINE_START}[a-z0-9_-]{0,100}(?:auth|api-key|apikey|token|session|secret|signature|credential|password|csrf|xsrf)[a-z0-9_-]{0,100}[ \\t]*:[ \\t]*)([^\\r\\n]{6,})`,
  'gi',
);
const NOT_SECRET_HEADER = /^[ \t]*www-authenticate[ \t]*:/i;

const ASSIGNMENT =
  /((?:password|passwd|pwd|secret|api[_-]key|access[_-]token|auth[_-]token|client[_-]secret)[a-z0-9_-]{0,100}["']?[ \t]*[:=][ \t]*["']?)(?![^\s"'&,;<>]{0,4}\[REDACTED)([^\s"'&,;<>]{6,})/gi;
