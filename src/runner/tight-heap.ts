import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect before its heap has grown by half, instead of by two or three times: for work that holds very many
 * small values. 100,000 findings then peak a third lower, for about a third more time.
 */
export function keepHeapTight(): void {
  setFlagsFromString('--heap-growing-percent=40');
  // Node 24 lets its young generation grow to hundreds of megabytes otherwise.
  setFlagsFromString('--max-semi-space-size=8');
  setFlagsFromString('--semi-space-growth-factor=1');
}
