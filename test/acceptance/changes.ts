import type { Change, FileChange, HunkLine } from '../../src/core/change.ts';

/** A changed file of one hunk; each line starts with `+`, `-` or a blank. */
export function toFile(path: string, lines: readonly string[], changes: Partial<FileChange> = {}): FileChange {
  let [oldLine, newLine] = [0, 0];
  const hunkLines = lines.map((line): HunkLine => {
    const text = line.slice(1);
    if (line.startsWith('+')) return { type: 'added', newLine: ++newLine, text };
    if (line.startsWith('-')) return { type: 'deleted', oldLine: ++oldLine, text };
    return { type: 'context', oldLine: ++oldLine, newLine: ++newLine, text };
  });
  return {
    path,
    status: 'modified',
    kind: 'text',
    oldMode: '100644',
    newMode: '100644',
    oldBlob: '1'.repeat(40),
    newBlob: '2'.repeat(40),
    additions: hunkLines.filter(line => line.type === 'added').length,
    deletions: hunkLines.filter(line => line.type === 'deleted').length,
    hunks: [{ oldStart: 1, oldLines: oldLine, newStart: 1, newLines: newLine, section: '', lines: hunkLines }],
    ...changes,
  };
}

export const toChange = (files: readonly FileChange[]): Change => ({
  baseSha: 'a'.repeat(40),
  mergeBaseSha: 'a'.repeat(40),
  headSha: 'b'.repeat(40),
  wholeTree: false,
  files,
});
