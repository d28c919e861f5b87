import { describe, expect, it } from 'vitest';
import { answerCalls } from '../../src/model/tool-results.ts';
import { DEFENCES } from '../../src/review/defences.ts';
import { createFileReader } from '../../src/review/file-reader.ts';
import { createGuard } from '../../src/review/guard.ts';
import { showChange } from '../../src/review/shown-change.ts';
import { confinePath } from '../../src/review/tools/confine-path.ts';
import { type RunTests, ToolError } from '../../src/review/tools/tool-context.ts';
import { createReflectionToolbox, createToolbox } from '../../src/review/tools/tools.ts';
import { added, type Files, memoryInspection, memoryTree } from './world.ts';

const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(6)}-----END PRIVATE KEY-----`;
const FILES: Files = {
  'README.md': '# Read me\n',
  'empty.txt': '',
  'logo.bin': Buffer.from('a\0b'),
  'long.txt': 'line\n'.repeat(1_000),
  'wide.txt': `${'x'.repeat(100_000)}\n`.repeat(3),
  'src/a.ts': 'alpha\nbeta\n',
  'src/deep/b.ts': 'alpha\n',
  'secret.pem': KEY,
};

async function box(options: { runTests?: RunTests; subjects?: string[]; files?: Files } = {}) {
  const files = options.files ?? FILES;
  const guard = createGuard({ defences: DEFENCES, boundary: 'b0a1c2d3' });
  const tree = memoryTree(files);
  const reader = createFileReader({ tree, guard });
  const isIgnored = (path: string): boolean => path.startsWith('hidden/');
  const changes = [added('src/a.ts', 'alpha\nbeta\n')];
  const shown = await showChange({ files: changes, isIgnored, maxFiles: 10, reader, guard });
  const inspection = memoryInspection(files, options.subjects);
  const runTests = options.runTests ?? null;
  const context = { tree, reader, inspection, shown, isIgnored, guard, defences: DEFENCES, runTests };
  const toolbox = createToolbox(context);
  const call = async (name: string, input: unknown, role = 'security'): Promise<string> => {
    const [result] = await answerCalls(
      [{ id: '1', name, input }],
      toolbox.runnerFor(role),
      new AbortController().signal,
    );
    const [, content] =
      /^<untrusted-b0a1c2d3 source="[^"]*">\n([\s\S]*)\n<\/untrusted-b0a1c2d3>$/.exec(result?.text ?? '') ?? [];
    if (content === undefined) throw new Error(`not marked: ${result?.text}`);
    expect(result?.isError).toBe(content.startsWith('error:'));
    return content;
  };
  return { call, toolbox, tree, context };
}

describe('read_file', () => {
  it('numbers lines and names the part it shows', async () => {
    const { call } = await box();
    expect(await call('read_file', { path: '/src/a.ts' })).toBe('src/a.ts (lines 1-2 of 2)\n1| alpha\n2| beta');
    expect(await call('read_file', { path: 'src/a.ts', start_line: 2, end_line: 99 })).toBe(
      'src/a.ts (lines 2-2 of 2)\n2| beta',
    );
    expect(await call('read_file', { path: 'empty.txt' })).toBe('empty.txt (empty)');
  });

  it('keeps to its caps', async () => {
    const { call } = await box();
    expect(await call('read_file', { path: 'long.txt', start_line: 1, end_line: 1_000 })).toMatch(
      /^long.txt \(lines 1-400 of 1000\)/,
    );
    const wide = await call('read_file', { path: 'wide.txt' });
    expect(wide.length).toBeLessThan(12_200);
  });

  it.each([
    ['../x', /leaves the repository/],
    ['src/../../x', /leaves the repository/],
    ['.git/config', /git's own folder/],
    ['src/.GIT/config', /git's own folder/],
    ['GIT~1/config', /git's own folder/],
    ['.git./config', /git's own folder/],
    ['．git/config', /git's own folder/],
    ['hidden/x', /the policy keeps/],
    ['logo.bin', /binary/],
    ['no-such', /no such file/],
    ['', /is a folder/],
    ['a\nb', /control character/],
  ])('refuses %j', async (path, reason) => {
    const { call, tree } = await box();
    tree.reads.length = 0;
    expect(await call('read_file', { path })).toMatch(reason);
    expect(tree.reads.filter(read => !['logo.bin', 'no-such'].includes(read))).toEqual([]);
  });

  it('masks a key also where only its middle is asked for', async () => {
    const { call } = await box();
    expect(await call('read_file', { path: 'secret.pem', start_line: 3, end_line: 4 })).not.toContain('MIIE');
    expect(await call('search_code', { pattern: 'MIIE' })).not.toContain('BADANBgkqhkiG');
  });

  it('says what is wrong with its input', async () => {
    const { call } = await box();
    expect(await call('read_file', {})).toMatch(/^error: path: /);
    expect(await call('read_file', null)).toMatch(/^error: path: /);
    expect(await call('read_file', { path: 'src/a.ts', start_line: 'x' })).toMatch(/^error: start_line: /);
    expect(await call('read_file', { path: 'src/a.ts', start_line: 7 })).toBe('error: the file has 2 lines');
    expect(await call('rm', { path: 'x' })).toBe('error: no such tool');
  });
});

describe('search_code', () => {
  it('finds, filters by path, counts the rest', async () => {
    const { call } = await box();
    expect(await call('search_code', { pattern: 'alpha' })).toBe(
      '2 matches\nsrc/a.ts:1: alpha\nsrc/deep/b.ts:1: alpha',
    );
    expect(await call('search_code', { pattern: 'alpha', path_glob: 'src/*.ts' })).toBe('1 match\nsrc/a.ts:1: alpha');
    expect(await call('search_code', { pattern: 'alpha', path_glob: 'src/*.{ts,js}' })).toBe(
      'no matches (path_glob: only **, * and ? are wildcards)',
    );
    expect(await call('search_code', { pattern: 'line' })).toMatch(/^1000 matches[\s\S]*\[950 more matches\]$/);
    expect(await call('search_code', { pattern: 'nothing such' })).toBe('no matches');
    expect(await call('search_code', { pattern: 'a\nb' })).toMatch(/^error: pattern/);
  });

  it('is soon done with a filter of many stars and a path made to take long', async () => {
    const { call } = await box({ files: { ['a'.repeat(250)]: 'alpha\n' } });
    const started = performance.now();
    expect(await call('search_code', { pattern: 'alpha', path_glob: '*a*a*a*a*b' })).toBe('no matches');
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('list_dir', () => {
  it('lists folders first, direct children only', async () => {
    const { call } = await box();
    expect(await call('list_dir', { path: 'src' })).toBe('src (2 entries)\ndeep/\na.ts');
    expect((await call('list_dir', {})).split('\n').slice(0, 3)).toEqual(['. (7 entries)', 'src/', 'README.md']);
    expect(await call('list_dir', { path: 'nowhere' })).toBe('error: no such folder');
  });

  it('stops at 200', async () => {
    const files = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`d/${at}.ts`, '']));
    const { call } = await box({ files });
    expect((await call('list_dir', { path: 'd' })).split('\n')).toHaveLength(202);
  });
});

describe('git_log, git_blame, get_diff', () => {
  it('answer with cleaned text', async () => {
    const { call } = await box({ subjects: ['Fix<!-- obey --> it\u200b', 'Begin'] });
    expect(await call('git_log', { path: 'src/a.ts', max_count: 1 })).toMatch(/^1 commit\nc{9}c 2026-11-01 Fix it$/);
    expect(await call('git_log', { path: 'src/a.ts' })).toContain('2026-11-01 Fix it');
    const blame = await call('git_blame', { path: 'src/a.ts', start: 1, end: 500 });
    expect(blame).toContain('(lines 1-200)');
    expect(blame).toContain('2| ccc');
    expect(await call('get_diff', { path: 'src/a.ts' })).toBe(
      '=== src/a.ts (added, +2 -0)\n@@ -0,0 +1,2 @@\n+alpha\n+beta',
    );
    expect(await call('get_diff', {})).toBe('changed files:\nadded +2 -0 src/a.ts');
    expect(await call('get_diff', { path: 'README.md' })).toMatch(/^error: the change does not touch/);
  });
});

describe('run_tests', () => {
  const runTests: RunTests = async target => `ran ${target}\u200b token = "hunter2hunter2hunter2"`;

  it('is for correctness only, three times, cleaned', async () => {
    const { call } = await box({ runTests });
    for (const role of ['security', 'style', 'reflection']) {
      expect(await call('run_tests', {}, role)).toBe('error: correctness only');
    }
    expect(await call('run_tests', { target: 'src' }, 'correctness')).toBe(
      'output:\nran src token = "[redacted:password]"',
    );
    for (const target of ['src/a.ts', null])
      expect(await call('run_tests', { target }, 'correctness')).toContain('ran');
    expect(await call('run_tests', {}, 'correctness')).toBe('error: at most 3 runs a review');
  });

  it.each(['-x', 'no/such', '../src', 'src; rm -rf ~', 'src\nx'])('refuses the target %j', async target => {
    const ran: unknown[] = [];
    const { call } = await box({
      files: { ...FILES, '-x': '' },
      runTests: async wanted => {
        ran.push(wanted);
        return '';
      },
    });
    expect(await call('run_tests', { target }, 'correctness')).toMatch(/^error: /);
    expect(ran).toEqual([]);
  });

  it('keeps the end of a long output and tells of a failure', async () => {
    const { call } = await box({ runTests: async () => `${'x'.repeat(20_000)}the end` });
    expect(await call('run_tests', {}, 'correctness')).toMatch(
      /^output \(the first 11815 characters are cut\):\nx+the end$/,
    );
    const broken = await box({ runTests: () => Promise.reject(new Error('no image for python')) });
    expect(await broken.call('run_tests', {}, 'correctness')).toBe('error: no image for python');
    expect(await (await box()).call('run_tests', {}, 'correctness')).toBe('error: no test command is configured');
  });

  it('a refusal is no run', async () => {
    const refused: RunTests = async target => {
      if (target !== null) throw new ToolError('takes no target');
      return 'ran';
    };
    const { call } = await box({ runTests: refused });
    for (let times = 0; times < 4; times++) {
      expect(await call('run_tests', { target: 'src' }, 'correctness')).toBe('error: takes no target');
    }
    for (let times = 0; times < 3; times++) expect(await call('run_tests', {}, 'correctness')).toContain('ran');
    expect(await call('run_tests', {}, 'correctness')).toBe('error: at most 3 runs a review');
  });
});

it('all reviewers have one set of tools, reflection fewer', async () => {
  const { toolbox, context } = await box();
  const names = ['read_file', 'search_code', 'list_dir', 'git_log', 'git_blame', 'get_diff', 'run_tests'];
  expect(toolbox.specs.map(({ name }) => name)).toEqual(names);
  expect(createReflectionToolbox(context).specs.map(({ name }) => name)).toEqual([
    'read_file',
    'search_code',
    'get_diff',
  ]);
  for (const { inputSchema } of toolbox.specs) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(inputSchema['required']).toEqual(Object.keys(inputSchema['properties'] as object));
    expect(JSON.stringify(inputSchema)).not.toMatch(/\$schema|"default"/);
  }
});

it('confinePath gives plain paths', () => {
  expect(confinePath(' /./src//a.ts ')).toEqual({ status: 'ok', path: 'src/a.ts' });
  expect(confinePath('.')).toEqual({ status: 'ok', path: '' });
  expect(confinePath('.github/x')).toEqual({ status: 'ok', path: '.github/x' });
  expect(confinePath('a/..b')).toEqual({ status: 'ok', path: 'a/..b' });
});
