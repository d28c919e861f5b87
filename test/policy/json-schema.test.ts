import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { NO_COST } from '../../src/core/report.ts';
import { toPolicyJsonSchema, toReportJsonSchema } from '../../src/policy/json-schema.ts';
import { DEFAULT_POLICY } from '../../src/policy/schema.ts';

const addFormats = addFormatsModule.default;

function compile(schema: Record<string, unknown>) {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats(ajv);
  return ajv.compile(schema);
}

describe('toPolicyJsonSchema', () => {
  const check = compile(toPolicyJsonSchema());

  it.each([{}, { version: 1 }, DEFAULT_POLICY, { suppress: [{ rule: 'G1', reason: 'known' }] }])('takes %j', value => {
    expect(check(value)).toBe(true);
  });

  it.each([
    { revieww: {} },
    { review: { max_files: 0 } },
    { gate: { fail_on: ['bad'] } },
    { suppress: [{ rule: 'G1' }] },
    [],
  ])('refuses %j', value => {
    expect(check(value)).toBe(false);
  });
});

describe('toReportJsonSchema', () => {
  const check = compile(toReportJsonSchema());
  const report = {
    schemaVersion: 1,
    tool: { name: 'cypherfix', version: '0.1.0' },
    generatedAt: '2026-11-30T12:00:00Z',
    subject: { headSha: 'a'.repeat(40) },
    request: { kind: 'review', trigger: 'local' },
    conclusion: 'success',
    gate: { tripped: false, reasons: [] },
    ledger: { files: [], complete: true },
    scanners: [],
    findings: [],
    suppressionsAddedByChange: [],
    cost: NO_COST,
    fixes: [],
    sandbox: null,
    timings: { scan: 12 },
    truncated: {},
    notices: [],
  };

  it('takes a report and refuses one with more in it', () => {
    expect(check(report), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...report, token: 'x' })).toBe(false);
    expect(check({ ...report, conclusion: 'maybe' })).toBe(false);
  });
});
