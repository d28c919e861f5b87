import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/commands/triage.ts';
import { parseReport } from '../../src/core/report.ts';
import { nucleiRow } from '../triage/world.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cypherfix-triage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('triage --findings', () => {
  it('prints the groups, best first', async () => {
    const rows = [nucleiRow('low', { severity: 'low', type: 'x' }), nucleiRow('kev', { cisa_kev: true })];
    const { status, stdout } = await runCommand(run, ['--findings', write('rows.json', rows)]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^What to fix, best first\nT1 +\d+\.\d +SQL injection in search\n/);
    expect(stdout).toContain('Triage: 2 findings in 2 groups · 1 Act now');
  });

  it('prints a report as JSON, ranked by the facts', async () => {
    const findings = write('rows.jsonl', `${JSON.stringify(nucleiRow('a', { cve_ids: ['CVE-2024-1234'] }))}\n`);
    const facts = write('facts.json', { cve_intel: { 'CVE-2024-1234': { kev: true } } });
    const { status, stdout } = await runCommand(run, ['--findings', findings, '--facts', facts, '--format', 'json']);
    expect(status).toBe(0);
    const report = parseReport(JSON.parse(stdout));
    expect(report.request).toEqual({ kind: 'triage', trigger: 'local' });
    expect(report.triage).toMatchObject({ runId: null, status: 'completed', groups: [{ tier: 'T1' }] });
  });

  it.each([
    ['no such file', ['--findings', '/does/not/exist'], /--findings \/does\/not\/exist cannot be read/],
    ['a folder', ['--findings', '/tmp'], /--findings \/tmp is no file/],
    ['no options', [], /--findings or --neo4j is missing/],
  ])('%s is a usage error', async (_, argv, message) => {
    const { status, stdout, message: told } = await runCommand(run, argv);
    expect([status, stdout]).toEqual([64, '']);
    expect(told).toMatch(message);
  });

  it('a broken file is told with its line', async () => {
    const path = write('rows.jsonl', '{"id":"a"}\n{"id":');
    expect(await runCommand(run, ['--findings', path])).toMatchObject({
      status: 64,
      message: `${path}:2: the object that starts here does not end`,
    });
  });
});

describe('triage --neo4j without a graph', () => {
  const config = () => write('.cypherfix.yml', 'triage: { project: shop, user: ann }\n');
  const env = { NEO4J_USER: 'neo4j', NEO4J_PASSWORD: 'not-to-be-shown' };

  it.each([
    ['nothing listens there', 'bolt://127.0.0.1:1', 69],
    ['it trusts anybody', 'bolt+ssc://127.0.0.1:1', 69],
    ['it is no address', 'nonsense', 69],
    ['it holds a password', 'bolt://neo4j:not-to-be-shown@127.0.0.1:1', 69],
  ])('%s', async (_, uri, status) => {
    const result = await runCommand(run, ['--neo4j', uri, '--config', config()], { env: { ...env } });
    expect(result.status).toBe(status);
    expect(result.stdout).toBe('');
    expect(result.message).not.toContain('not-to-be-shown');
  });

  it.each([
    ['no regular file', () => '/dev/zero', '--config /dev/zero is no file'],
    [
      'too large',
      () => write('large.yml', `# ${'x'.repeat(256 * 1024)}`),
      'large.yml has 262146 bytes, more than 262144',
    ],
    ['not there', () => '/nonexistent.yml', '--config /nonexistent.yml cannot be read: ENOENT'],
  ])('a policy that is %s', async (_, toConfig, expected) => {
    const { status, message } = await runCommand(run, ['--neo4j', 'bolt://127.0.0.1:1', '--config', toConfig()]);
    expect(status).toBe(64);
    expect(message).toContain(expected);
  });

  it('no project in the policy', async () => {
    const empty = write('.cypherfix.yml', 'version: 1\n');
    const { status, message } = await runCommand(run, ['--neo4j', 'bolt://127.0.0.1:1', '--config', empty]);
    expect(status).toBe(69);
    expect(message).toContain('triage.project and triage.user are not set');
  });

  it('rows where a report is due', async () => {
    const rows = write('rows.json', [nucleiRow('a')]);
    const argv = ['--neo4j', 'bolt://127.0.0.1:1', '--config', config(), '--findings', rows];
    const { status, message } = await runCommand(run, argv, { env: { ...env } });
    expect(status).toBe(64);
    expect(message).toContain('with --neo4j it must be a report');
  });
});
