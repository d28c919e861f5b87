import { isPresent, strip, toText } from './python-values.ts';
import { redactEvidence } from './redact.ts';
import { codePointLength, takeCodePoints } from './text.ts';

export interface Cap {
  /** In code points. */
  readonly length: number;
  /** A request or response: headers that change from one answer to the next are left out. */
  readonly http?: boolean;
}

/** `Label: value` lines of the fields that hold something. */
export function linesOf(fields: readonly (readonly [label: string, value: unknown, cap?: Cap])[]): string {
  let lines = '';
  for (const [label, value, cap] of fields) {
    if (!isPresent(value)) continue;
    const text = cap === undefined ? strip(toText(value)) : toFieldText(toText(value), cap);
    if (text !== '') lines += `${label}: ${text}\n`;
  }
  return lines;
}

/** No more of a field is read; far above any cap, so that only a flood is cut here. */
const MAX_READ_LENGTH = 200_000;

function toFieldText(value: string, { length, http }: Cap): string {
  const read = value.slice(0, MAX_READ_LENGTH);
  const stable = http === true ? read.replace(CHANGING_HEADER, '') : read;
  const text = strip(redactEvidence(stable))
    .replace(/[ \t]{3,}/g, '  ')
    .replace(/\n{3,}/g, '\n\n');
  return codePointLength(text) > length ? `${takeCodePoints(text, length)} [...]` : text;
}

const CHANGING_HEADER =
  /(?<![^\n])[ \t]*(?:date|expires|last-modified|age|etag|set-cookie|x-request-id|x-amz-(?:[a-z0-9-]*-)?id(?:-\d+)?|cf-ray|server-timing|report-to|nel)[ \t]*:[^\n]*(?:\n|$)/gi;
