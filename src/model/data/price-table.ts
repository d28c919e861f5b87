/** When the prices below were last compared with the providers' pages. */
export const PRICES_DATE = '2026-11-30';

/** Dollars a million tokens. `cacheWrite` is the five-minute write of Anthropic, the shortest one elsewhere. */
export interface Price {
  readonly in: number;
  readonly out: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** What the whole request costs when its prompt has more than `above` tokens, cached ones counted. */
  readonly long?: Omit<Price, 'long'> & { readonly above: number };
}

type Row = readonly [model: string, input: number, output: number, cacheRead: number, cacheWrite: number];

/** Anthropic: platform.claude.com pricing and model pages; Sonnet 5.5 with the cache-read price since 2026-10-07. */
const ANTHROPIC: readonly Row[] = [
  ['claude-fable-5-1', 10, 50, 0.25, 12.5],
  ['claude-fable-5', 10, 50, 1, 12.5],
  ['claude-opus-5-5', 4, 20, 0.2, 5],
  ['claude-opus-5', 5, 25, 0.5, 6.25],
  ['claude-opus-4-8', 5, 25, 0.5, 6.25],
  ['claude-opus-4-7', 5, 25, 0.5, 6.25],
  ['claude-opus-4-6', 5, 25, 0.5, 6.25],
  ['claude-opus-4-5', 5, 25, 0.5, 6.25],
  ['claude-sonnet-5-5', 2, 10, 0.1, 2.5],
  ['claude-sonnet-5', 2, 10, 0.2, 2.5],
  ['claude-sonnet-4-6', 3, 15, 0.3, 3.75],
  ['claude-haiku-4-5', 1, 5, 0.1, 1.25],
];

/** OpenAI, standard tier; without a price of its own a cache write costs what input costs. */
const OPENAI: readonly Row[] = [
  ['gpt-6.2-sol', 2, 10, 0.1, 2.5],
  ['gpt-6.1-sol', 2, 10, 0.1, 2.5],
  ['gpt-6.1-terra', 1, 5, 0.05, 1.25],
  ['gpt-6-astra', 10, 50, 1, 12.5],
  ['gpt-6-sol', 2, 10, 0.2, 2.5],
  ['gpt-6-luna', 0.1, 0.5, 0.01, 0.125],
  // The list price: the lower one was promised until 2026-11-21 only.
  ['gpt-5.6-sol', 5, 30, 0.5, 6.25],
  ['gpt-5.6-terra', 2, 12, 0.2, 2.5],
  ['gpt-5.5', 5, 30, 0.5, 5],
  ['gpt-5.4', 2.5, 15, 0.25, 2.5],
];

/** OpenAI's models of one price, whatever the length of the prompt. */
const OPENAI_FLAT: readonly Row[] = [
  ['gpt-5.4-mini', 0.75, 4.5, 0.075, 0.75],
  ['gpt-5.4-nano', 0.2, 1.25, 0.02, 0.2],
  ['gpt-5-mini', 0.25, 2, 0.025, 0.25],
];

/** Above 272,000 prompt tokens OpenAI bills input and cache twice, output one and a half times. */
const OPENAI_LONG = { above: 272_000, input: 2, output: 1.5 };

const HAIKU_5_5: Price = {
  in: 0.1,
  out: 0.5,
  cacheRead: 0.01,
  cacheWrite: 0.125,
  long: { above: 100_000, in: 0.5, out: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
};

const toPrice = ([, input, output, cacheRead, cacheWrite]: Row): Price => ({
  in: input,
  out: output,
  cacheRead,
  cacheWrite,
});

function toTieredPrice(row: Row): Price {
  const [, input, output, cacheRead, cacheWrite] = row;
  const { above, input: twice, output: more } = OPENAI_LONG;
  return {
    ...toPrice(row),
    long: {
      above,
      in: input * twice,
      out: output * more,
      cacheRead: cacheRead * twice,
      cacheWrite: cacheWrite * twice,
    },
  };
}

/** Every price known, by the provider's own model id. */
export const PRICE_TABLE: ReadonlyMap<string, Price> = new Map([
  ...ANTHROPIC.map(row => [row[0], toPrice(row)] as const),
  ['claude-haiku-5-5', HAIKU_5_5] as const,
  ...OPENAI.map(row => [row[0], toTieredPrice(row)] as const),
  ...OPENAI_FLAT.map(row => [row[0], toPrice(row)] as const),
]);
