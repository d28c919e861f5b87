import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of the event loop: a socket opens in one, takes the request in the next. */
const TURNS = 2;

/** Resolves when what was asked of the engine is on its way. To be awaited before work that keeps this process busy. */
export async function letRequestsLeave(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}
