import { describe, expect, test } from 'vitest';
import { matchDockerfile } from '../../src/scanners/guest/dockerfile.ts';
import { parseDockerfile } from '../../src/scanners/guest/dockerfile-instructions.ts';

const shape = (text: string): string[] =>
  parseDockerfile(text).map(({ name, text: rest, startLine, endLine }) => `${startLine}-${endLine} ${name} ${rest}`);

describe('instructions', () => {
  test('continuations, comments and blank lines in between', () => {
    expect(shape('# c\nFROM a AS b\r\nrun x && \\\n# note\n\n  y | \\\n  z\nUSER u\n')).toEqual([
      '2-2 FROM a AS b',
      '3-7 RUN x && y | z',
      '8-8 USER u',
    ]);
  });

  test('the escape directive', () => {
    expect(shape('# syntax=docker/dockerfile:1\n# escape=`\nFROM a\nRUN b `\n c\\\nUSER d\n')).toEqual([
      '3-3 FROM a',
      '4-5 RUN b c\\',
      '6-6 USER d',
    ]);
  });

  test('heredocs', () => {
    expect(shape('RUN <<EOF sh\ncurl x | sh\nEOF\nCOPY <<-"A" <<B /d\n\tone\n\tA\ntwo\nB\nUSER u')).toEqual([
      '1-2 RUN <<EOF sh curl x | sh',
      '4-7 COPY <<-"A" <<B /d \tone two',
      '9-9 USER u',
    ]);
  });

  test('ONBUILD counts as what it runs, and what is no instruction is left out', () => {
    expect(shape('ONBUILD RUN a\n???\n')).toEqual(['1-1 RUN a']);
    expect(shape('RUN a \\')).toEqual(['1-1 RUN a']);
    expect(shape('')).toEqual([]);
  });
});

describe('rules', () => {
  const text = 'ARG V\nFROM a AS one\nUSER root\nRUN x && \\\n  curl u | sh\nFROM b\nRUN ok\nUSER app\nUSER root\n';
  const find = (rule: Parameters<typeof matchDockerfile>[1][number]['rule'], source = text): number[][] =>
    matchDockerfile(source, [{ id: 'r', rule }]).map(match => [match.startLine, match.endLine]);

  test('a match starts on its own line', () => {
    expect(find({ instruction: 'RUN', matches: 'curl.*sh' })).toEqual([[5, 5]]);
  });
  test('not_matches', () => {
    expect(find({ instruction: 'RUN', not_matches: 'CURL' })).toEqual([[7, 7]]);
  });
  test('last of each stage, of the final stage', () => {
    expect(find({ instruction: 'USER', matches: '^root$', last: true })).toEqual([
      [3, 3],
      [9, 9],
    ]);
    expect(find({ instruction: 'USER', matches: '^root$', last: true, stage: 'final' })).toEqual([[9, 9]]);
  });
  test('missing reports the FROM', () => {
    expect(find({ instruction: ['HEALTHCHECK'], missing: true })).toEqual([
      [2, 2],
      [6, 6],
    ]);
    expect(find({ instruction: 'USER', missing: true, stage: 'final' })).toEqual([]);
    expect(find({ instruction: 'USER', missing: true }, 'RUN a\n')).toEqual([]);
  });
});
