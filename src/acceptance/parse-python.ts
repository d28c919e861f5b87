import { ResultList, type TestReport, type TestStatus } from './test-result.ts';

/** `pytest -v`, with xdist or without; null when the text is none. */
export function parsePytest(lines: readonly string[]): TestReport | null {
  const list = new ResultList();
  let count = 0;
  let isEnded = false;
  for (const line of lines) {
    if (/^=+ .*\b(?:passed|failed|error|errors|skipped|no tests ran)\b.* in [\d.]+s/.test(line)) isEnded = true;
    const plain = PYTEST.exec(line);
    const parallel = plain === null ? XDIST.exec(line) : null;
    const [id, word] = plain === null ? [parallel?.[2], parallel?.[1]] : [plain[1], plain[2]];
    if (id === undefined || word === undefined) continue;
    count++;
    const [file = '', ...parts] = splitId(id);
    const name = parts.pop() ?? file;
    list.add(parts.length === 0 && name === file ? [] : [file, ...parts], name, STATUS_OF_WORD[word] ?? 'error', file);
  }
  if (count === 0) return null;
  return list.finish(isEnded ? null : 'the output of pytest ends early');
}

/** `python -m unittest -v`, which writes to standard error; null when the text is none. */
export function parseUnittest(lines: readonly string[]): TestReport | null {
  const list = new ResultList();
  let count = 0;
  let open: { suite: string; name: string } | null = null;
  let isEnded = false;
  for (const line of lines) {
    if (/^Ran \d+ tests? in /.test(line)) isEnded = true;
    const [, name, suite] = /^(\w{1,300}) \(([\w.]{1,500})\)/.exec(line) ?? [];
    if (name !== undefined && suite !== undefined) open = { name, suite: suite.replace(new RegExp(`\\.${name}$`), '') };
    const word = /(?:^| \.\.\. )(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/.exec(line)?.[1];
    if (open === null || word === undefined) continue;
    count++;
    list.add([open.suite], open.name, toUnittestStatus(word));
    open = null;
  }
  if (count === 0) return null;
  return list.finish(isEnded ? null : 'the output of unittest ends early');
}

const WORDS = 'PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS';
const PYTEST = new RegExp(
  `^(\\S[^\\n]{0,900}?\\.py(?:::[^\\n]{1,500}?)?) (${WORDS})(?: \\(.*\\))?(?:\\s+\\[ *\\d+%\\])?\\s*$`,
);
const XDIST = new RegExp(`^\\[gw\\d+\\] \\[ *\\d+%\\] (${WORDS}) (\\S.*?)\\s*$`);
const STATUS_OF_WORD: Readonly<Record<string, TestStatus>> = {
  PASSED: 'passed',
  FAILED: 'failed',
  ERROR: 'error',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
  XPASS: 'passed',
};

/** Colons within a parameter belong to it. */
function splitId(id: string): string[] {
  const bracket = id.indexOf('[');
  const [plain, parameter] = bracket < 0 ? [id, ''] : [id.slice(0, bracket), id.slice(bracket)];
  const parts = plain.split('::');
  return [...parts.slice(0, -1), `${parts.at(-1)}${parameter}`];
}

function toUnittestStatus(word: string): TestStatus {
  if (word === 'ok' || word === 'unexpected success') return 'passed';
  if (word === 'FAIL') return 'failed';
  return word === 'ERROR' ? 'error' : 'skipped';
}
