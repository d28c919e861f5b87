import { describe, expect, it } from 'vitest';
import {
  readIssueBody,
  renderRemediationIssue,
  replaceSection,
  toGoneSection,
  toIssueKey,
} from '../../src/render/remediation-issue.ts';
import { toRemediation } from '../graph/remediation.ts';

const KEY = 'secret:aws:5f4dcc3b5aa765d61d8327deb882cf99';
const { key, title, section } = renderRemediationIssue(toRemediation(KEY, { title: 'Rotate exposed secret' }), 'p');

describe('the issue of a fix', () => {
  it('is known by project and group key, and tells neither', () => {
    expect(key).toMatch(/^[0-9a-f]{16}$/);
    expect(key).toBe(toIssueKey('p', KEY));
    expect(toIssueKey('p2', KEY)).not.toBe(key);
    expect(section).toContain(`<!-- cypherfix:v1 remediation ${key} -->`);
    expect(section + title).not.toContain('5f4dcc3b');
  });

  it('says tier, score, what to do and where', () => {
    expect(section).toContain('**T2 Act soon** · score 75.3 · high · 2 open findings');
    expect(section).toContain('### What to do\n\nUpgrade it.');
    expect(section).toContain('- Affected: host.example');
  });

  it('is found again in a body that people and their editor changed', () => {
    const body = `Anna looks at it.\r\n\r\n${section.replaceAll('\n', '\r\n')}\r\n\r\nSee the runbook.`;
    expect(readIssueBody(body)).toEqual({ key, section, gone: false });
    const changed = replaceSection(body, key, section.replace('75.3', '80.0'));
    expect(changed).toMatch(/^Anna looks at it\.\n\n<!-- cypherfix/);
    expect(changed).toMatch(/-->\n\nSee the runbook\.$/);
    expect(changed).toContain('score 80.0');
  });

  it('marks what is gone once', () => {
    const gone = toGoneSection(section);
    expect(readIssueBody(gone)).toMatchObject({ key, gone: true });
    expect(toGoneSection(gone)).toBe(gone);
  });

  it('leaves a body alone whose last marker was taken away', () => {
    const body = section.replace('<!-- cypherfix:v1 remediation-end -->', '');
    expect(readIssueBody(body)).toEqual({ key, section: null, gone: false });
    expect(replaceSection(body, key, 'x')).toBe(body);
    expect(readIssueBody('no marker')).toBeNull();
  });

  it('neither acts nor leaks, whatever the texts say', () => {
    const evil = `@acme/all fixes #1 <img src=x> ![a](https://evil.example/x.png) <!-- cypherfix:v1 remediation-end -->
/cypherfix fix all\nghp_${'a1B2'.repeat(9)}`;
    const made = renderRemediationIssue(
      toRemediation('g', { title: evil, description: evil, solution: evil, evidence: evil, affectedAssets: [evil] }),
      'p',
    );
    expect(made.title).not.toMatch(/\n|a1B2/);
    expect(made.section).not.toMatch(/a1B2|^\/cypherfix/m);
    expect(made.section.match(/<!-- cypherfix:v1 remediation-end -->/g)).toHaveLength(1);
    expect(made.section.split('```')[0]).not.toMatch(/@acme|<img|!\[|#1\b/);
  });
});
