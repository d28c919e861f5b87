/** A part of a text: shown whole, in its short form, or not at all. */
export interface Section {
  readonly text: string;
  /** Shown when the whole does not fit; a section without a short form is left out at once. */
  readonly short?: string;
  /** 0 stays as long as anything else can go; of the others the highest goes first, and of equal ones the last. */
  readonly rank: number;
  /** What is counted when it is cut: `findings`, `files`. A `marker` is never cut, `notice` is where the cuts are told. */
  readonly kind: string;
}

export interface Limit {
  readonly codePoints: number;
  readonly bytes: number;
}

export interface Fitted {
  readonly text: string;
  /** Sections shortened and left out, by kind; empty when everything fits. */
  readonly shortened: Readonly<Record<string, number>>;
  readonly left: Readonly<Record<string, number>>;
}

/**
 * Joins sections with a blank line between them so that the text stays within the limit: first sections are shortened,
 * least important first, then left out. `toNotice` says in the text what is missing; it takes the place of the section
 * whose kind is `notice`.
 */
export function fitSections(
  sections: readonly Section[],
  limit: Limit,
  toNotice: (fitted: Omit<Fitted, 'text'>) => string,
): Fitted {
  const forms: Form[] = sections.map(section => ({
    section,
    text: section.text,
    size: measure(section.text),
    isShort: false,
  }));
  const total = forms.reduce((sum, { size }) => addSize(sum, size), { codePoints: 0, bytes: 0 });
  if (isWithin(total, limit)) return { text: join(forms.map(form => form.text)), shortened: {}, left: {} };

  const room = { codePoints: limit.codePoints - NOTICE_ROOM, bytes: limit.bytes - NOTICE_ROOM * 3 };
  const order = forms
    .map((form, at) => ({ form, at }))
    .filter(({ form }) => form.section.rank > 0)
    .sort((a, b) => b.form.section.rank - a.form.section.rank || b.at - a.at);
  const shortened: Record<string, number> = {};
  const left: Record<string, number> = {};
  let size = total;
  const replace = (form: Form, text: string): void => {
    const next = measure(text);
    size = {
      codePoints: size.codePoints - form.size.codePoints + next.codePoints,
      bytes: size.bytes - form.size.bytes + next.bytes,
    };
    form.text = text;
    form.size = next;
  };
  const leaveOut = (form: Form): void => {
    const { kind } = form.section;
    if (form.isShort) shortened[kind] = (shortened[kind] ?? 0) - 1;
    replace(form, '');
    left[kind] = (left[kind] ?? 0) + 1;
  };
  for (const { form } of order) {
    if (isWithin(size, room)) break;
    const { short, kind, text } = form.section;
    if (short === undefined) leaveOut(form);
    else if (short !== text) {
      replace(form, short);
      form.isShort = true;
      shortened[kind] = (shortened[kind] ?? 0) + 1;
    }
  }
  for (const { form } of order) {
    if (isWithin(size, room)) break;
    if (form.text !== '') leaveOut(form);
  }
  // A report from elsewhere may hold texts of any length in places that ours keeps short: the largest of those go.
  const fixed = forms.filter(
    ({ section }) => section.rank === 0 && section.kind !== 'notice' && section.kind !== 'marker',
  );
  for (const form of fixed.sort((a, b) => b.size.bytes - a.size.bytes)) {
    if (isWithin(size, room)) break;
    leaveOut(form);
  }
  const counted = { shortened: withoutZeros(shortened), left: withoutZeros(left) };
  const notice = cutCodePoints(toNotice(counted), NOTICE_ROOM - 2);
  return { text: join(forms.map(({ section, text }) => (section.kind === 'notice' ? notice : text))), ...counted };
}

/** At most `most` code points, an ellipsis last where something is cut. Never splits a character. */
export function cutCodePoints(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = [...text.slice(0, most * 2 + 1)];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}

/** At most `most` bytes of UTF-8, an ellipsis last where something is cut. Never splits a character. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text);
  let end = most - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}

const NOTICE_ROOM = 600;

interface Form {
  readonly section: Section;
  text: string;
  size: Limit;
  isShort: boolean;
}

/** Size with the blank line that follows it. */
function measure(text: string): Limit {
  if (text === '') return { codePoints: 0, bytes: 0 };
  let codePoints = 2;
  for (const _ of text) codePoints++;
  return { codePoints, bytes: Buffer.byteLength(text) + 2 };
}

const addSize = (a: Limit, b: Limit): Limit => ({ codePoints: a.codePoints + b.codePoints, bytes: a.bytes + b.bytes });
const isWithin = (size: Limit, limit: Limit): boolean =>
  size.codePoints <= limit.codePoints && size.bytes <= limit.bytes;
const join = (texts: readonly string[]): string => texts.filter(text => text !== '').join('\n\n');
const withoutZeros = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
