import type { Exchange, Operation, SeenResult } from './exchange.ts';

export type Matcher = string | RegExp;

/** Which requests are meant; every field that is given has to hold. */
export interface When {
  readonly operation?: Operation;
  readonly role?: string | readonly string[];
  readonly model?: Matcher;
  /** Turn of the conversation, from 1. */
  readonly turn?: number | readonly number[];
  /** In the system text or any user text; tool results do not count. */
  readonly prompt?: Matcher | readonly Matcher[];
  /** In the newest tool result. */
  readonly lastResult?: Matcher;
  /** Whether the model may call tools. */
  readonly tools?: 'allowed' | 'forbidden';
  readonly test?: (exchange: Exchange) => boolean;
}

/** What a request must hold before a rule may answer. */
export interface Requirement {
  /** Every one in the prompt's own text: the planted line, say. */
  readonly prompt?: Matcher | readonly Matcher[];
  /** Every one in a tool result, each of them of the named tool if one is given. */
  readonly results?: readonly { readonly tool?: string; readonly text?: Matcher; readonly input?: Matcher }[];
  readonly test?: (exchange: Exchange) => boolean;
}

export function matches(when: When, exchange: Exchange): boolean {
  const { seen } = exchange;
  if (when.operation !== undefined && when.operation !== exchange.operation) return false;
  if (when.role !== undefined && !toList(when.role).includes(exchange.role ?? '')) return false;
  if (when.model !== undefined && !holds(seen?.model ?? '', when.model)) return false;
  if (when.turn !== undefined && !toList(when.turn).includes(seen?.turn ?? 0)) return false;
  if (when.prompt !== undefined && !holdsAll(seen?.prompt ?? '', when.prompt)) return false;
  if (when.lastResult !== undefined && !holds(seen?.results.at(-1)?.text ?? '', when.lastResult)) return false;
  if (when.tools !== undefined && (when.tools === 'allowed') !== (seen?.toolsAllowed ?? false)) return false;
  return when.test?.(exchange) ?? true;
}

/** What of the requirement is not in the request; empty when all of it is. */
export function listLacks(requirement: Requirement, exchange: Exchange): string[] {
  const lacks: string[] = [];
  for (const matcher of toList(requirement.prompt ?? [])) {
    if (!holds(exchange.seen?.prompt ?? '', matcher)) lacks.push(`prompt ${String(matcher)}`);
  }
  for (const wanted of requirement.results ?? []) {
    if (!(exchange.seen?.results ?? []).some(result => fits(result, wanted))) {
      lacks.push(`result ${wanted.tool ?? ''} ${String(wanted.input ?? '')} ${String(wanted.text ?? '')}`.trimEnd());
    }
  }
  if (requirement.test !== undefined && !requirement.test(exchange)) lacks.push('test');
  return lacks;
}

function fits(result: SeenResult, wanted: { tool?: string; text?: Matcher; input?: Matcher }): boolean {
  if (wanted.tool !== undefined && wanted.tool !== result.tool) return false;
  if (wanted.input !== undefined && !holds(JSON.stringify(result.input) ?? '', wanted.input)) return false;
  return wanted.text === undefined || holds(result.text, wanted.text);
}

export function holds(text: string, matcher: Matcher): boolean {
  return typeof matcher === 'string'
    ? text.includes(matcher)
    : new RegExp(matcher.source, withoutState(matcher)).test(text);
}

function holdsAll(text: string, matchers: Matcher | readonly Matcher[]): boolean {
  return toList(matchers).every(matcher => holds(text, matcher));
}

// A global or sticky expression remembers where it stopped, so the same rule would miss on its second request.
function withoutState(matcher: RegExp): string {
  return matcher.flags.replace(/[gy]/g, '');
}

function toList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}
