import { CypherFixError } from '../core/errors.ts';
import { PRICE_TABLE, PRICES_DATE, type Price } from './data/price-table.ts';
import type { Usage } from './model.ts';

/** The policy's `ai.prices`: dollars a million tokens, by the model id as the policy writes it. */
export type PriceOverrides = Readonly<
  Record<
    string,
    { readonly in: number; readonly out: number; readonly cache_read: number; readonly cache_write: number }
  >
>;

/** The price of every model in use. */
export type Prices = ReadonlyMap<string, Price>;

/** Finds the price of each model; throws CypherFixError('usage') that names the model and the key `ai.prices`. */
export function findPrices(models: readonly string[], overrides: PriceOverrides): Prices {
  return new Map(models.map(model => [model, findPrice(model, overrides)]));
}

function findPrice(model: string, overrides: PriceOverrides): Price {
  const own = Object.hasOwn(overrides, model) ? overrides[model] : undefined;
  if (own !== undefined) return { in: own.in, out: own.out, cacheRead: own.cache_read, cacheWrite: own.cache_write };
  const known = lookUp(model);
  if (known !== null) return known;
  throw new CypherFixError('usage', `no price is known for the model '${model}' (prices of ${PRICES_DATE})`, {
    hint: `set ai.prices.'${model}' in .cypherfix.yml to {in, out, cache_read, cache_write}, in dollars a million tokens`,
  });
}

/** Picodollars (10⁻¹² $), a whole number, so that sums are exact. */
export type Picodollars = number;
export const PICO = 1_000_000_000_000;

/** What the usage costs. */
export function toCost(price: Price, usage: Usage): Picodollars {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const rate = rateFor(price, prompt);
  return (
    usage.inputTokens * perToken(rate.in) +
    usage.outputTokens * perToken(rate.out) +
    usage.cacheReadTokens * perToken(rate.cacheRead) +
    usage.cacheWriteTokens * perToken(rate.cacheWrite)
  );
}

/** The most that a prompt of this size can cost, whatever part of it the cache takes. */
export function toInputReserve(price: Price, tokens: number): Picodollars {
  const rate = rateFor(price, tokens);
  return tokens * Math.max(perToken(rate.in), perToken(rate.cacheWrite), perToken(rate.cacheRead));
}

/** What one token of output costs after a prompt of this size. */
export const toOutputRate = (price: Price, promptTokens: number): Picodollars =>
  perToken(rateFor(price, promptTokens).out);

const rateFor = (price: Price, promptTokens: number) =>
  price.long !== undefined && promptTokens > price.long.above ? price.long : price;

/** Dollars a million tokens → picodollars a token. */
const perToken = (dollars: number): Picodollars => Math.round(dollars * 1_000_000);

/** Ids as the providers write them: dated, prefixed, versioned. Null when nothing is known. */
function lookUp(model: string): Price | null {
  if (model.startsWith('bedrock/')) return lookUpBedrock(model.slice('bedrock/'.length));
  if (model.startsWith('openrouter/')) return lookUpOpenRouter(model.slice('openrouter/'.length));
  // Whoever runs a compatible server sets its prices, even under a well-known model's name.
  if (model.startsWith('openai_compat/')) return null;
  return PRICE_TABLE.get(withoutDate(model)) ?? null;
}

const withoutDate = (id: string): string => id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');

/** Bedrock asks Anthropic's prices for its global endpoints and a tenth more for the others. */
const REGIONAL_FACTOR = 1.1;

function lookUpBedrock(id: string): Price | null {
  const match = /^(?:(?<area>[a-z-]+)\.)?anthropic\.(?<model>claude-[a-z0-9-]+?)(?:-v\d+)?(?::\d+)?$/.exec(id);
  const price = PRICE_TABLE.get(withoutDate(match?.groups?.['model'] ?? ''));
  if (price === undefined) return null;
  return match?.groups?.['area'] === 'global' ? price : scale(price, REGIONAL_FACTOR);
}

/** OpenRouter passes the providers' prices on, and writes Anthropic's versions with a dot. */
function lookUpOpenRouter(id: string): Price | null {
  const [, vendor, model = ''] = /^(anthropic|openai)\/([^:]+)$/.exec(id) ?? [];
  if (vendor === 'anthropic') return PRICE_TABLE.get(withoutDate(model.replace(/(\d)\.(\d)/g, '$1-$2'))) ?? null;
  return vendor === 'openai' ? (PRICE_TABLE.get(withoutDate(model)) ?? null) : null;
}

function scale({ long, ...price }: Price, factor: number): Price {
  const scaled = (rate: Omit<Price, 'long'>) => ({
    in: rate.in * factor,
    out: rate.out * factor,
    cacheRead: rate.cacheRead * factor,
    cacheWrite: rate.cacheWrite * factor,
  });
  return { ...scaled(price), ...(long === undefined ? {} : { long: { above: long.above, ...scaled(long) } }) };
}
