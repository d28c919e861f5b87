import type { Change, FileChange } from '../core/change.ts';
import { mayMatchLine } from '../workspace/hunk-lines.ts';

export interface AddedSuppression {
  readonly path: string;
  /** 1-based, at the head. */
  readonly line: number;
  /** The line, trimmed and cut. */
  readonly text: string;
}

/** Comments by which tools of the field are told to keep quiet; ours obey none of them. */
const MARKS: readonly RegExp[] = [
  /#\s*nosec\b/i,
  /#\s*(?:noqa|flake8\s*:\s*noqa|ruff\s*:\s*(?:noqa|disable|ignore|file-ignore))\b/i,
  /(?:\/\/|\/\*|#)\s*#?nosec\b/i,
  /(?:\/\/|\/\*)\s*#?gosec:disable\b/i,
  /\beslint-disable(?:-next-line|-line)?\b/,
  /\/\*\s*eslint\s[^*]*\b(?:off|0)\b/,
  /\bgitleaks:allow\b/,
  /\bast-grep-ignore\b/,
  /\b(?:nosemgrep|nosem)\b/,
  /\b(?:lgtm|codeql)\s*\[/,
  /\bNOSONAR\b/,
  /\bzizmor:\s*ignore\b/,
  /\bhadolint\s+(?:global\s+)?ignore=/,
  /\b(?:checkov:skip|tfsec:ignore|trivy:ignore|njsscan-ignore|nolint)\b/,
  /\bbiome-ignore\s+(?:lint|assist)\b/,
];

/** A word of each mark: most lines have none, and are then asked for no mark. */
const HINT =
  /nosec|noqa|flake8|ruff|gosec|eslint|gitleaks|ast-grep|nosem|lgtm|codeql|nosonar|zizmor|hadolint|checkov|tfsec|trivy|njsscan|nolint|biome/i;

/** Files that consist of suppressions. */
const IGNORE_FILE =
  /(?:^|\/)(?:\.gitleaksignore|\.gitleaks\.toml|\.semgrepignore|\.eslintignore|\.bandit|\.trivyignore|\.snyk|\.nancy-ignore|osv-scanner\.toml)$/;

const MAX_TEXT_CHARS = 200;

/** Pure: every suppression in a line that the change added, in order of the files. A whole tree has no added lines. */
export function findAddedSuppressions(change: Change): AddedSuppression[] {
  return change.files.flatMap(file => findInFile(file));
}

function findInFile(file: FileChange): AddedSuppression[] {
  const isList = IGNORE_FILE.test(file.path);
  const found: AddedSuppression[] = [];
  const hunks = isList ? file.hunks : file.hunks.filter(hunk => mayMatchLine(hunk, HINT));
  for (const { type, newLine, text } of hunks.flatMap(hunk => hunk.lines)) {
    if (type !== 'added' || newLine === undefined) continue;
    const counts = isList ? /^\s*[^#\s]/.test(text) : HINT.test(text) && MARKS.some(mark => mark.test(text));
    if (counts) found.push({ path: file.path, line: newLine, text: text.trim().slice(0, MAX_TEXT_CHARS) });
  }
  return found;
}
