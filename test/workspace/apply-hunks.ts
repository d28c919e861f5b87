import type { Hunk } from '../../src/core/change.ts';

/** The new text that hunks make of the old one. Throws where a context or deleted line is not what the old text has. */
export function applyHunks(oldText: string, hunks: readonly Hunk[]): string {
  const old = oldText.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const made: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    made.push(...old.slice(at, start));
    at = start;
    let newLine = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
    for (const line of hunk.lines) {
      const text = `${line.text}${line.noNewline ? '' : '\n'}`;
      if (line.type !== 'added') {
        if (old[at] !== text || line.oldLine !== at + 1) {
          throw new Error(`old line ${at + 1} is ${JSON.stringify(old[at])}, the hunk says ${JSON.stringify(line)}`);
        }
        at += 1;
      }
      if (line.type !== 'deleted') {
        if (line.newLine !== newLine || made.length !== newLine - 1) {
          throw new Error(`new line ${newLine} is numbered ${line.newLine}`);
        }
        made.push(text);
        newLine += 1;
      }
    }
  }
  made.push(...old.slice(at));
  return made.join('');
}
