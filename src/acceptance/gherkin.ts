import { GHERKIN_WORDS } from './gherkin-words.ts';

export interface Scenario {
  /** Empty for steps that stand alone. */
  readonly title: string;
  readonly tags: readonly string[];
  /** `Given …`, `When …`, one an entry. */
  readonly steps: readonly string[];
}

export interface GherkinText {
  /** Scenarios that say what must be so: each has a step of outcome. */
  readonly scenarios: readonly Scenario[];
  /** Lines that are no Gherkin. */
  readonly foreignLines: number;
}

/** Lenient: people write Gherkin by hand, with lists and emphasis around it. Lines must be free of markup. */
export function parseGherkin(lines: readonly string[]): GherkinText {
  const reader = new Reader();
  for (const line of lines) reader.read(line.trim());
  return reader.finish();
}

/** True for a line that can start or continue Gherkin: a scenario's title or a step. */
export const isGherkinLine = (line: string): boolean => kindOf(line.trim()) !== null;

/** True when the text is, in one sentence, a given, an action and an outcome. */
export const isGherkinSentence = (text: string): boolean =>
  /^given\b[^\n]*\bwhen\b[^\n]*\bthen\b|^when\b[^\n]*,?\s+then\b/i.test(text.replace(/\n/g, ' '));

/** A scenario on one line. */
export function toSentence({ title, steps }: Scenario): string {
  const said = steps.join('; ');
  return title === '' ? said : `${title}: ${said}`;
}

type Kind = 'feature' | 'background' | 'scenario' | 'examples' | 'given' | 'when' | 'then' | 'more';

const MAX_STEPS = 40;

class Reader {
  readonly #scenarios: Scenario[] = [];
  #title = '';
  #tags: string[] = [];
  #pendingTags: string[] = [];
  #steps: string[] = [];
  #hasOutcome = false;
  #lastKind: Kind | null = null;
  #isBackground = false;
  #isDocString = false;
  #foreignLines = 0;

  read(line: string): void {
    if (/^(?:"""|```|''')/.test(line)) this.#isDocString = !this.#isDocString;
    else if (this.#isDocString || line === '' || line.startsWith('|') || line.startsWith('#')) return;
    else if (/^@\S/.test(line)) this.#pendingTags.push(...line.split(/\s+/));
    else this.#readWords(line);
  }

  finish(): GherkinText {
    this.#close();
    return { scenarios: this.#scenarios, foreignLines: this.#foreignLines };
  }

  #readWords(line: string): void {
    const kind = kindOf(line);
    if (kind === null) {
      // Free text may describe a feature or scenario before its first step.
      if (this.#lastKind === null || this.#steps.length > 0) this.#foreignLines++;
      return;
    }
    if (kind === 'feature' || kind === 'scenario' || kind === 'background') this.#open(kind, line);
    else if (kind !== 'examples') this.#addStep(kind, line);
    this.#lastKind = kind;
  }

  #open(kind: Kind, line: string): void {
    this.#close();
    this.#isBackground = kind === 'background';
    if (kind !== 'scenario') return;
    this.#title = line.replace(/^[^:：]*[:：]\s*/, '');
    this.#tags = this.#pendingTags;
    this.#pendingTags = [];
  }

  #addStep(kind: Kind, line: string): void {
    // Steps without a title: a new given (or action) after an outcome begins another one.
    const startsAnew = kind === 'given' || (kind === 'when' && this.#lastKind !== 'given');
    if (this.#title === '' && startsAnew && this.#hasOutcome) this.#close();
    if (this.#steps.length < MAX_STEPS) this.#steps.push(line.replace(/^\*\s+/, ''));
    if (kind === 'then') this.#hasOutcome = true;
  }

  #close(): void {
    if (this.#hasOutcome && !this.#isBackground) {
      this.#scenarios.push({ title: this.#title, tags: this.#tags, steps: this.#steps });
    }
    this.#title = '';
    this.#tags = [];
    this.#steps = [];
    this.#hasOutcome = false;
    this.#isBackground = false;
  }
}

const SECTIONS: readonly Kind[] = ['feature', 'background', 'scenario', 'examples'];

function kindOf(line: string): Kind | null {
  const text = line.toLowerCase();
  for (const [kind, words] of GHERKIN_WORDS) {
    const ends = SECTIONS.includes(kind as Kind) ? /^\s*[:：]/ : /^(?:\s|$)/;
    for (const word of words) {
      if (!text.startsWith(word)) continue;
      if (ends.test(text.slice(word.length)) || (!SECTIONS.includes(kind as Kind) && isUnspaced(word))) {
        return kind as Kind;
      }
    }
  }
  return null;
}

/** Chinese and Japanese steps follow their word without a space. */
const isUnspaced = (word: string): boolean => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(word);
