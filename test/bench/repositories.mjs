// Repositories that the benchmarks review: real files, committed at run time.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const git = (repo, ...args) =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=bench', '-c', 'user.email=bench@example.test', ...args], {
    stdio: 'ignore',
  });

function begin(repo) {
  mkdirSync(repo, { recursive: true });
  git(repo, 'init', '--quiet');
  writeFileSync(join(repo, 'README.md'), '# Bench\n');
  git(repo, 'add', '--all');
  git(repo, 'commit', '--quiet', '--message', 'base');
}

/** Files of Python's own library: real code that every machine has. */
const PYTHON = [
  'smtplib.py',
  'tarfile.py',
  'zipfile.py',
  'shutil.py',
  'tempfile.py',
  'webbrowser.py',
  'http/client.py',
];
const TYPESCRIPT = [
  'src/main.ts',
  'src/github/client.ts',
  'src/workspace/read-change.ts',
  'src/scanners/run-scanners.ts',
  'src/sandbox/create-sandbox.ts',
  'src/findings/merge.ts',
  'src/render/sarif.ts',
];
const GO = ['sandbox/go/gosec/main.go', 'sandbox/go/gosec/load.go', 'sandbox/go/gosec/scan.go'];

/** A change of 20 added files in three languages, a workflow and data; returns their paths. */
export function makeChange(root, repo) {
  begin(repo);
  const library = execFileSync('python3', ['-c', 'import sysconfig; print(sysconfig.get_path("stdlib"))'], {
    encoding: 'utf8',
  }).trim();
  const files = [];
  const add = (source, path) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    copyFileSync(source, join(repo, path));
    files.push(path);
  };
  for (const path of PYTHON) add(join(library, path), `py/${path}`);
  for (const path of TYPESCRIPT) add(join(root, path), `web/${basename(path)}`);
  for (const path of GO) add(join(root, path), `cmd/${basename(path)}`);
  add(join(root, 'sandbox/go/gosec/go.mod'), 'go.mod');
  add(join(root, '.github/workflows/ci.yml'), '.github/workflows/ci.yml');
  add(join(root, 'sandbox/Dockerfile'), 'Dockerfile');
  git(repo, 'add', '--all');
  git(repo, 'commit', '--quiet', '--message', 'change');
  return files;
}

/** Many small files in several languages, and a change of 20 of them on top. */
export function makeLargeRepository(repo, count) {
  begin(repo);
  const make = (index, text) => {
    const folder = join(repo, `d${index % 250}`);
    mkdirSync(folder, { recursive: true });
    const extension = ['py', 'ts', 'js', 'md', 'json'][index % 5];
    const bodies = {
      py: `def f${index}(x):\n    return x + ${index}\n# ${text}\n`,
      ts: `export const f${index} = (x: number): number => x + ${index}; // ${text}\n`,
      js: `export const f${index} = x => x + ${index}; // ${text}\n`,
      md: `# Page ${index}\n\n${'word '.repeat(120)}${text}\n`,
      json: `{"id": ${index}, "text": "${'word '.repeat(120)}${text}"}\n`,
    };
    writeFileSync(join(folder, `f${index}.${extension}`), bodies[extension]);
  };
  for (let index = 0; index < count; index++) make(index, 'first');
  git(repo, 'add', '--all');
  git(repo, 'commit', '--quiet', '--message', 'many');
  for (let index = 0; index < 20; index++) make(index * 7, 'second');
  git(repo, 'add', '--all');
  git(repo, 'commit', '--quiet', '--message', 'few');
}
