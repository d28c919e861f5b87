import { findQuote } from '../review/find-quote.ts';
import type { Guard } from '../review/guard.ts';
import type { ShownChange, ShownFileChange, ShownHunkLine } from '../review/shown-change.ts';
import type { Evidence } from './criterion.ts';

/** Evidence as a model states it. */
export interface EvidenceDraft {
  readonly path: string;
  readonly quote: string | null;
  readonly note: string;
}

const MAX_EVIDENCE = 5;
const MAX_NOTE_CHARS = 300;

/** The evidence that points at changed lines, or at a changed file as a whole; all other is dropped. */
export function checkEvidence(drafts: readonly EvidenceDraft[], shown: ShownChange, guard: Guard): Evidence[] {
  return drafts.slice(0, MAX_EVIDENCE).flatMap(draft => {
    const file = shown.files.find(({ path, file }) => path === draft.path.trim() || file.path === draft.path.trim());
    const place = file === undefined ? null : placeOf(draft, file);
    if (file === undefined || place === null) return [];
    const text = guard.cleanLine('model', draft.note).slice(0, MAX_NOTE_CHARS);
    return [{ path: file.file.path, ...place, text }];
  });
}

/** Null when the quote is not among the changed lines. */
function placeOf({ quote }: EvidenceDraft, file: ShownFileChange): { line?: number } | null {
  if (quote === null || quote.trim() === '') return {};
  for (const hunk of file.hunks) {
    const added = new Set(
      hunk.flatMap(({ type, newLine }) => (type === 'added' && newLine !== undefined ? [newLine] : [])),
    );
    for (const { startLine, endLine } of findQuote(quote, toNewSide(hunk))) {
      for (let line = startLine; line <= endLine; line++) if (added.has(line)) return { line };
    }
    if (findQuote(quote, toDeleted(hunk)).length > 0) return {};
  }
  return null;
}

const toNewSide = (hunk: readonly ShownHunkLine[]) =>
  hunk.flatMap(({ newLine, shown }) => (newLine === undefined ? [] : [{ line: newLine, text: shown }]));

const toDeleted = (hunk: readonly ShownHunkLine[]) =>
  hunk.flatMap(({ type, shown }, at) => (type === 'deleted' ? [{ line: at + 1, text: shown }] : []));
