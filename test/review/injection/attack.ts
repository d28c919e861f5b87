import { readFileSync } from 'node:fs';

export const SURFACE_NAMES = [
  'title',
  'body',
  'issue',
  'code',
  'comment',
  'commit',
  'file-name',
  'scanner',
  'test-output',
] as const;
export type SurfaceName = (typeof SURFACE_NAMES)[number];

/** An attack and its neutral twin: the same place, about the same length, nothing to obey. */
export interface Attack {
  readonly id: string;
  readonly surface: SurfaceName;
  readonly attack: string;
  readonly neutral: string;
  /** The words that a model which obeys acts on. */
  readonly trigger: string;
  /** What it then does: `report-nothing`, `read:<path>` … */
  readonly obeys: string;
}

export function loadAttacks(): Attack[] {
  return SURFACE_NAMES.flatMap(surface => {
    const file = new URL(`../../data/injections/${surface}.json`, import.meta.url);
    const attacks = JSON.parse(readFileSync(file, 'utf8')) as Omit<Attack, 'surface'>[];
    return attacks.map(attack => ({ ...attack, surface }));
  });
}
