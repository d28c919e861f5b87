// Writes what is generated from the sources: the tables of the README, the committed JSON Schemas, the guest's version.
// `node .github/generate.mjs` writes, `--check` only compares and exits 1 when something is stale. `--sources` writes
// only what dist/ is built from.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const check = process.argv.includes('--check');
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'));
const cell = text => String(text).replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim();

function renderInputs() {
  const rows = Object.entries(action.inputs).map(
    ([name, input]) =>
      `| \`${name}\` | ${input.default ? `\`${cell(input.default)}\`` : '–'} | ${cell(input.description)} |`,
  );
  return ['| input | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

function renderOutputs() {
  const rows = Object.entries(action.outputs).map(([name, output]) => `| \`${name}\` | ${cell(output.description)} |`);
  return ['| output | what it holds |', '| --- | --- |', ...rows].join('\n');
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function fill(text, name, content) {
  const pattern = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!pattern.test(text)) throw new Error(`README.md has no place for ${name}`);
  return text.replace(pattern, (_, open, close) => `${open}\n${content}\n\n${close}`);
}

function renderGuestVersion() {
  const version = execFileSync(join(root, 'sandbox/guest-version'), [join(root, 'sandbox/go/guest')], {
    encoding: 'utf8',
  });
  return `// Written by .github/generate.mjs.

/** What the program of sandbox/go/guest calls itself that belongs to this version of CypherFix. */
export const GUEST_VERSION = '${version.trim()}';
`;
}

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const schema = (...args) =>
  execFileSync(process.execPath, [join(root, 'dist/index.js'), 'schema', ...args], { encoding: 'utf8' });
const sources = { 'src/sandbox/guest-version.ts': renderGuestVersion() };
const wanted = process.argv.includes('--sources')
  ? sources
  : {
      ...sources,
      'README.md': fill(fill(readme, 'inputs', renderInputs()), 'outputs', renderOutputs()),
      '.github/policy.schema.json': schema(),
      '.github/report.schema.json': schema('--report'),
    };

const stale = Object.entries(wanted).filter(([name, text]) => {
  try {
    return readFileSync(join(root, name), 'utf8') !== text;
  } catch {
    return true;
  }
});
if (check && stale.length > 0) {
  process.stderr.write(`stale: ${stale.map(([name]) => name).join(', ')}\nrun: npm run build\n`);
  process.exit(1);
}
for (const [name, text] of check ? [] : stale) writeFileSync(join(root, name), text);
