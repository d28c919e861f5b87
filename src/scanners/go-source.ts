import { blankComments } from './go-comments.ts';

/** What the Go tool reads of a file before it compiles it. */
export interface GoSource {
  /** Name in the package clause; '' when there is none. */
  readonly packageName: string;
  readonly imports: readonly string[];
  /** Why a build for linux/amd64 leaves the file out; undefined when it takes it. */
  readonly excluded?: string;
}

const KNOWN_OS = new Set(
  'aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos'.split(
    ' ',
  ),
);
const KNOWN_ARCH = new Set(
  '386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm'.split(
    ' ',
  ),
);
const TRUE_TAGS = new Set(['linux', 'amd64', 'unix', 'gc', 'cgo']);
/** How far brackets and negations of a constraint may nest: its reader calls itself for each. */
const MAX_DEPTH = 200;

// At `^`, which begins at every line, `\s*` would read a run of line ends once for each of them: there only blanks within
// a line are taken.
const BUILD = /^[^\S\n\r\u2028\u2029]*\/\/go:build[^\S\n]+(\S.*)$/m;
const OLD_BUILD = /^[^\S\n\r\u2028\u2029]*\/\/[^\S\n]*\+build[^\S\n]+(\S.*)$/gm;
const BUILD_MARK = /^([^\S\n\r\u2028\u2029]*\/\/)go:build\b/gm;
const OLD_BUILD_MARK = /^([^\S\n\r\u2028\u2029]*\/\/[^\S\n]*)\+build\b/gm;

/** Pure; never throws. Comments are understood, the rest of the syntax only as far as the import clauses reach. */
export function parseGoSource(fileName: string, text: string): GoSource {
  const code = blankComments(text);
  const clause = /^\s*package\s+([\p{L}_][\p{L}\p{N}_]*)/u.exec(code);
  const imports = clause === null ? [] : parseImports(code.slice(clause[0].length));
  const excluded = findExclusion(fileName, text, clause === null ? text.length : code.indexOf('package'));
  return { packageName: clause?.[1] ?? '', imports, ...(excluded === undefined ? {} : { excluded }) };
}

/** The same text, byte for byte as long, without what makes the Go tool leave the file out. */
export function liftExclusion(text: string): string {
  return text.replace(BUILD_MARK, '$1go_build').replace(OLD_BUILD_MARK, '$1-build');
}

function findExclusion(fileName: string, text: string, packageAt: number): string | undefined {
  if (/^[._]/.test(fileName)) return 'the Go tool skips names that begin with a dot or underscore';
  if (!fitsName(fileName)) return 'its name is for another system or processor';
  const header = text.slice(0, packageAt);
  const constraint = BUILD.exec(header)?.[1];
  if (constraint !== undefined)
    return evaluate(constraint) ? undefined : `build constraint ${constraint.trim().slice(0, 80)}`;
  const old = [...header.matchAll(OLD_BUILD)].map(match => match[1] ?? '');
  if (!old.every(fitsOldConstraint)) return `build constraint ${old.join(' and ').slice(0, 80)}`;
  return undefined;
}

function fitsName(fileName: string): boolean {
  const parts = fileName
    .replace(/\.go$/, '')
    .replace(/_test$/, '')
    .split('_')
    .slice(1);
  const last = parts.at(-1) ?? '';
  if (KNOWN_ARCH.has(last)) {
    const system = parts.at(-2) ?? '';
    return last === 'amd64' && (!KNOWN_OS.has(system) || system === 'linux');
  }
  return !KNOWN_OS.has(last) || last === 'linux';
}

const isTrue = (tag: string): boolean => TRUE_TAGS.has(tag) || /^go1\.\d+$/.test(tag);

/** A space is "or", a comma "and", `!` negates. */
const fitsOldConstraint = (line: string): boolean =>
  line
    .trim()
    .split(/\s+/)
    .some(option => option.split(',').every(tag => (tag.startsWith('!') ? !isTrue(tag.slice(1)) : isTrue(tag))));

/**
 * `a && !(b || c)`; what cannot be read, or nests too deep, counts as false, so that the file is analysed without its
 * constraint.
 */
function evaluate(expression: string): boolean {
  const tokens = expression.match(/&&|\|\||[!()]|[\w.]+/g) ?? [];
  let at = 0;
  let depth = 0;
  let isTooDeep = false;
  const or = (): boolean => {
    let value = and();
    while (tokens[at] === '||') {
      at++;
      const right = and();
      value = value || right;
    }
    return value;
  };
  const and = (): boolean => {
    let value = not();
    while (tokens[at] === '&&') {
      at++;
      const right = not();
      value = value && right;
    }
    return value;
  };
  const not = (): boolean => {
    const token = tokens[at++];
    if (token !== '!' && token !== '(') return token !== undefined && isTrue(token);
    if (depth === MAX_DEPTH) {
      isTooDeep = true;
      return false;
    }
    depth++;
    const value = token === '!' ? !not() : or();
    if (token === '(') at++;
    depth--;
    return value;
  };
  return or() && at === tokens.length && !isTooDeep;
}

function parseImports(code: string): string[] {
  const found: string[] = [];
  let rest = code;
  for (;;) {
    const clause = /^[\s;]*import\s*(?:\(([^)]*)\)|((?:[\p{L}\p{N}_.]+\s*)?(?:"[^"\n]*"|`[^`\n]*`)))/u.exec(rest);
    if (clause === null) return found;
    for (const match of (clause[1] ?? clause[2] ?? '').matchAll(/["`]([^"`\n]+)["`]/g)) found.push(match[1] ?? '');
    rest = rest.slice(clause[0].length);
  }
}
