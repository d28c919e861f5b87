import picomatch from 'picomatch';
import type { RawFinding } from '../core/finding.ts';
import { lineAt, lineStarts, offsetAt } from './line-positions.ts';
import type { Scanner, ToolFinding } from './scanner.ts';

/** The real file behind a path of the job. */
export interface Origin {
  readonly path: string;
  /** Its text as the tool got it, columns included; undefined when it cannot be read any more. */
  readonly text: string;
  readonly commit?: string;
  /** The copy keeps lines but not columns. */
  readonly linesOnly?: boolean;
}

const MAX_MATCHED_CHARS = 4_000;

/** Pure: findings of one copy in terms of its real file; those whose path conditions do not fit fall away. */
export function resolveFindings(findings: readonly ToolFinding[], origin: Origin, scanner: Scanner): RawFinding[] {
  const gitStarts = lineStarts(origin.text, 'git');
  const toolStarts = scanner.lineStyle === 'git' ? gitStarts : lineStarts(origin.text, scanner.lineStyle);
  return findings
    .filter(finding => fitsPath(finding, origin.path))
    .map(finding => resolve(finding, { origin, scanner, gitStarts, toolStarts }));
}

interface Context {
  readonly origin: Origin;
  readonly scanner: Scanner;
  readonly gitStarts: readonly number[];
  readonly toolStarts: readonly number[];
}

function resolve(finding: ToolFinding, context: Context): RawFinding {
  const { origin, gitStarts } = context;
  const { text } = origin;
  const span = findSpan(finding, context);
  const startLine = lineAt(gitStarts, span.start);
  const endLine = Math.max(startLine, lineAt(gitStarts, Math.max(span.start, span.end - 1)));
  const column = (offset: number, line: number): number => offset - (gitStarts[line - 1] ?? 0) + 1;
  const fix = finding.replacement === undefined || !span.exact ? undefined : toFix(finding.replacement, span, context);
  return {
    tool: context.scanner.name,
    ruleId: finding.ruleId,
    title: finding.title,
    message: finding.message,
    severity: finding.severity,
    confidence: finding.confidence,
    cwe: finding.cwe,
    path: origin.path,
    startLine,
    endLine,
    ...(span.exact ? { startColumn: column(span.start, startLine), endColumn: column(span.end, endLine) } : {}),
    matchedText: text.slice(span.start, span.end).slice(0, MAX_MATCHED_CHARS),
    ...(finding.help === undefined ? {} : { help: finding.help }),
    ...(origin.commit === undefined ? {} : { commit: origin.commit }),
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Offsets of the match; where the tool gives no two columns, of its lines without the space around them. */
function findSpan(finding: ToolFinding, context: Context): { start: number; end: number; exact: boolean } {
  const { text, linesOnly } = context.origin;
  const { startColumn, endColumn, startLine, endLine } = finding;
  if (linesOnly !== true && startColumn !== undefined && endColumn !== undefined) {
    const start = toOffset(startLine, startColumn, context);
    const end = toOffset(endLine, endColumn, context);
    if (end > start) return { start, end, exact: true };
  }
  const from = offsetAt(text, context.toolStarts, startLine, 1);
  const to = endLine >= context.toolStarts.length ? text.length : offsetAt(text, context.toolStarts, endLine + 1, 1);
  const lines = text.slice(from, to);
  const start = from + (lines.length - lines.trimStart().length);
  return {
    start: Math.min(start, Math.max(from, to - 1)),
    end: Math.max(start, from + lines.trimEnd().length),
    exact: false,
  };
}

function toOffset(line: number, column: number, { origin, scanner, toolStarts }: Context): number {
  if (scanner.columns === 'utf16') return offsetAt(origin.text, toolStarts, line, column);
  const start = offsetAt(origin.text, toolStarts, line, 1);
  const lineText = origin.text.slice(start, toolStarts[line] ?? origin.text.length);
  const before = Buffer.from(lineText)
    .subarray(0, column - 1)
    .toString('utf8');
  return start + Math.min(before.length, lineText.length);
}

/** The rewrite as whole lines of the file, without the last line's end. */
function toFix(
  replacement: string,
  span: { start: number; end: number },
  { origin, gitStarts }: Context,
): RawFinding['fix'] {
  const startLine = lineAt(gitStarts, span.start);
  const endLine = lineAt(gitStarts, Math.max(span.start, span.end - 1));
  const lineEnd = gitStarts[endLine] === undefined ? origin.text.length : (gitStarts[endLine] ?? 0) - 1;
  const before = origin.text.slice(gitStarts[startLine - 1] ?? 0, span.start);
  const after = origin.text.slice(Math.min(span.end, lineEnd), lineEnd);
  return { edits: [{ path: origin.path, startLine, endLine, replacement: before + replacement + after }] };
}

function fitsPath(finding: ToolFinding, path: string): boolean {
  const matches = (globs: readonly string[]): boolean => picomatch.isMatch(path, [...globs], { dot: true });
  return (
    (finding.paths === undefined || matches(finding.paths)) &&
    (finding.notPaths === undefined || !matches(finding.notPaths))
  );
}
