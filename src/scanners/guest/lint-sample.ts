/** Code with the usual parts of TypeScript, which lint.ts reads before anything else. */
export const LINT_SAMPLE = `
import { readFile } from 'node:fs/promises';
import type { Order } from './order';

export interface Shop<T extends Order = Order> {
  readonly name: string;
  orders?: T[];
  total(of: (order: T) => number): Promise<number | undefined>;
}
type Keys = keyof Shop | 'other';
enum Level { Low = 1, High }

const LIMITS: Readonly<Record<string, number>> = { small: 10, large: 1_000 };
const [first = 'a', ...rest] = process.argv.slice(2);

/** Adds up. */
export async function total(orders: readonly Order[], level: Level = Level.Low): Promise<number> {
  let sum = 0;
  for (const { price, count } of orders) sum += price * count;
  for (let at = 0; at < orders.length; at++) {
    const order = orders[at];
    if (order === undefined || order.price > LIMITS[first]!) continue;
    else if (/^a+b?$/i.test(order.name)) sum -= 1;
    switch (level) {
      case Level.High: sum *= 2; break;
      default: sum = level satisfies Level;
    }
  }
  while (sum > 100) sum /= 2;
  try {
    const text = await readFile('./' + first, 'utf8');
    return sum + (JSON.parse(text) as { extra?: number }).extra! ?? 0;
  } catch (error) {
    throw new Error(\`no \${first}: \${error instanceof Error ? error.message : String(error)}\`, { cause: error });
  } finally {
    rest.map(name => name.toUpperCase()).filter(Boolean).forEach((name, at) => console.log(name, at));
  }
}

export class Corner<T extends Order> implements Shop<T> {
  static #count = 0;
  constructor(readonly name: string, private open = true) { Corner.#count++; }
  get key(): Keys { return 'name'; }
  async total(of: (order: T) => number): Promise<number | undefined> {
    const { orders = [] } = this as Shop<T>;
    return this.open ? orders.reduce((sum, order) => sum + of(order), 0) : undefined;
  }
  protected *pairs(): Generator<[string, unknown]> {
    yield* Object.entries({ ...LIMITS, [this.key]: new Map([['a', -1]]), when: typeof this.open });
    if (!('name' in this) || (this.open && delete LIMITS['x'])) return null;
  }
}
export default function (value: unknown) { return value as never; }
`;
