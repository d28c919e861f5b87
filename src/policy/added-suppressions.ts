import type { Change } from '../core/change.ts';

export interface AddedSuppression {
  readonly path: string;
  readonly line: number;
  /** The line, trimmed and cut; untrusted text, not redacted. */
  readonly text: string;
}

export const MAX_ADDED_SUPPRESSIONS = 200;
const MAX_TEXT_CHARS = 200;

/**
 * Lines that the change adds to silence a scanner: comments in code, and entries of files that scanners would read. None
 * of them is obeyed; a review lists them. `cut` says how many more there were.
 */
export function listAddedSuppressions(change: Change): { readonly added: AddedSuppression[]; readonly cut: number } {
  const added: AddedSuppression[] = [];
  let cut = 0;
  if (change.wholeTree) return { added, cut };
  for (const file of change.files) {
    const isIgnoreFile = IGNORE_FILES.has(file.path.slice(file.path.lastIndexOf('/') + 1));
    for (const { type, newLine, text } of file.hunks.flatMap(hunk => hunk.lines)) {
      if (type !== 'added' || newLine === undefined) continue;
      const silences = isIgnoreFile ? /^\s*[^#\s]/.test(text) : COMMENT.test(text);
      if (!silences) continue;
      if (added.length < MAX_ADDED_SUPPRESSIONS)
        added.push({
          path: file.path,
          line: newLine,
          text: [...text.trim().slice(0, 1_000)].slice(0, MAX_TEXT_CHARS).join(''),
        });
      else cut += 1;
    }
  }
  return { added, cut };
}

/** Files in which each line takes something away from a scanner. */
const IGNORE_FILES: ReadonlySet<string> = new Set([
  '.gitleaksignore',
  '.semgrepignore',
  '.eslintignore',
  '.trivyignore',
]);

const COMMENT = new RegExp(
  [
    String.raw`#\s{0,4}nosec\b`,
    String.raw`//\s{0,4}#?nosec\b`,
    String.raw`gosec:disable\b`,
    String.raw`#\s{0,4}noqa\b`,
    String.raw`(?:ruff|flake8):\s{0,4}noqa\b`,
    String.raw`eslint-disable(?:-next-line|-line)?\b`,
    String.raw`gitleaks:allow\b`,
    String.raw`ast-grep-ignore\b`,
    String.raw`nosemgrep\b`,
    String.raw`zizmor:\s{0,4}ignore\b`,
    String.raw`pragma:\s{0,4}allowlist\s{1,4}secret`,
    String.raw`\bNOSONAR\b`,
    String.raw`\b(?:codeql|lgtm)\s{0,4}\[`,
    String.raw`@SuppressWarnings\b`,
  ].join('|'),
  'i',
);
