// Builds dist/: `node ncc.config.js`, or `node ncc.config.js --check` to compare a fresh build with the committed one.
// ncc's command line reads no configuration, so this file drives its API. Why each step is as it is: .github/adr/0001.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ncc from '@vercel/ncc';
import { minify } from 'terser';

const root = dirname(fileURLToPath(import.meta.url));

/** dockerode reaches these for ssh:// hosts and BuildKit sessions only, which we refuse; they bring native code. */
const EXTERNALS = { ssh2: 'node:net', '@grpc/grpc-js': 'node:net', '@grpc/proto-loader': 'node:net' };

/** Assets of packages that nothing here loads. */
const DROPPED_ASSETS = [/^auth\.proto$/, /^buildkit_status\.proto$/, /(^|\/)package\.json$/];

async function build() {
  mkdirSync(join(root, 'lib'), { recursive: true });
  const lib = mkdtempSync(join(root, 'lib', 'build-'));
  try {
    compile(lib);
    // webpack names modules and chunks after their paths from here: the same in every checkout and every build.
    process.chdir(lib);
    const files = await bundle(lib);
    files.set('package.json', '{"type":"module"}\n');
    files.set('rules.json', await compileRules(lib));
    return files;
  } finally {
    process.chdir(root);
    rmSync(lib, { recursive: true, force: true });
  }
}

/** TypeScript 7 has no compiler API for a loader: it compiles first, and ncc sees JavaScript only. */
function compile(lib) {
  const config = join(lib, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        outDir: lib,
        rootDir: join(root, 'src'),
        rewriteRelativeImportExtensions: true,
        typeRoots: [join(root, 'node_modules/@types')],
        skipLibCheck: true,
      },
      include: [],
      files: [join(root, 'src/main.ts')],
    }),
  );
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], { stdio: 'inherit' });
  writeFileSync(join(lib, 'package.json'), '{"type":"module"}\n');
  embedQueries(join(lib, 'graph/cypher-files.js'));
}

/** The queries' texts in place of the module that reads them from their folder, which dist/ does not have. */
function embedQueries(path) {
  if (!existsSync(path)) throw new Error(`${path} is gone: where do the queries come from now?`);
  const folder = join(root, 'src/graph/cypher');
  const names = readdirSync(folder).filter(name => name.endsWith('.cypher'));
  const texts = names.sort().map(name => [name.slice(0, -'.cypher'.length), readFileSync(join(folder, name), 'utf8')]);
  writeFileSync(path, `export const CYPHER_FILES = ${JSON.stringify(Object.fromEntries(texts))};\n`);
}

/** The rule pack, read once here and not in every review. */
async function compileRules(lib) {
  const { compilePack, readRuleFiles } = await import(join(lib, 'scanners/shipped-pack.js'));
  return `${JSON.stringify(await compilePack(readRuleFiles(join(root, 'rules'))))}\n`;
}

async function bundle(lib) {
  const { code, assets } = await ncc(join(lib, 'main.js'), {
    cache: false,
    quiet: true,
    license: 'licenses.txt',
    externals: EXTERNALS,
    target: 'es2022',
    esm: true,
  });
  const files = new Map([['index.js', await shrink('index.js', code)]]);
  for (const [name, asset] of Object.entries(assets)) {
    const source = asset.source.toString();
    if (name === 'licenses.txt') {
      files.set(name, source);
    } else if (/^\d+\.index\.js$/.test(name)) {
      files.set(name, await shrink(name, source));
    } else if (!DROPPED_ASSETS.some(pattern => pattern.test(name))) {
      throw new Error(`the bundle wants to emit ${name}; allow it by name or keep it out`);
    }
  }
  return files;
}

/** ncc minifies the entry alone; the chunks are most of the size. */
async function shrink(name, code) {
  const result = await minify(code, {
    module: true,
    keep_classnames: true,
    compress: { passes: 1 },
    format: { comments: false },
  });
  if (result.code === undefined) throw new Error(`terser gave nothing for ${name}`);
  return `${result.code}\n`;
}

const dist = join(root, 'dist');

function readTree(folder, base = folder) {
  const files = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) for (const [name, text] of readTree(path, base)) files.set(name, text);
    else files.set(relative(base, path), readFileSync(path, 'utf8'));
  }
  return files;
}

function compare(files) {
  const committed = readTree(dist);
  const names = [...new Set([...files.keys(), ...committed.keys()])].sort();
  return names.filter(name => files.get(name) !== committed.get(name));
}

const files = await build();
if (process.argv.includes('--check')) {
  const stale = compare(files);
  if (stale.length > 0) {
    process.stderr.write(`dist/ is not what src/ builds: ${stale.join(', ')}\nrun: npm run build\n`);
    process.exit(1);
  }
  process.stdout.write(`dist/ is up to date (${files.size} files)\n`);
} else {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  for (const [name, text] of files) writeFileSync(join(dist, name), text);
  const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  process.stdout.write(`dist/: ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
}
