import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Pace } from './answer.ts';
import type { Certificate } from './certificate.ts';
import { createJournal, type Exchange, type Journal, type Operation, type SeenPrompt } from './exchange.ts';
import { createFaultQueue, type FaultQueue } from './faults.ts';
import { createScript, type Rule, type Script } from './script.ts';
import { startLoopback, toHeaders } from './server.ts';
import { holds, type Matcher } from './when.ts';

export interface SiteOptions {
  readonly script?: readonly Rule[];
  /** Said where no rule fits; default the emptiest value that the request's schema allows. */
  readonly neutral?: (exchange: Exchange) => Answer;
  /** Names of roles by what the system text or the first user message of their prompts holds; the first that fits. */
  readonly roles?: Readonly<Record<string, Matcher>>;
  /** Pace of every answer that has none of its own. */
  readonly pace?: Pace;
  /** Quiet time after which a stream sends a keep-alive; default 5,000. */
  readonly pingEveryMs?: number;
  /** Speak TLS. */
  readonly certificate?: Certificate;
}

/** What every simulator gives its tests. */
export interface Simulator {
  readonly url: string;
  readonly port: number;
  readonly journal: Journal;
  readonly faults: FaultQueue;
  /** Live: rules may be added between requests. */
  readonly rules: Rule[];
  /** What requests broke so far; taken, so that close() does not throw for it. */
  takeViolations(): string[];
  /** Rejects when a request broke the API's rules, or the script said what no model could. */
  close(): Promise<void>;
}

export interface Site {
  readonly options: SiteOptions;
  readonly journal: Journal;
  readonly faults: FaultQueue;
  readonly script: Script;
  now(): number;
  /** Notes the prompt of an exchange, and whose it is. */
  recognise(exchange: Exchange, seen: SeenPrompt): void;
  /** Notes what the request (or the script) broke. */
  blame(exchange: Exchange, complaints: readonly string[]): void;
}

export type Respond = (site: Site, exchange: Exchange, response: ServerResponse) => Promise<void>;

export async function startSite(
  options: SiteOptions,
  toOperation: (method: string, path: string) => Operation,
  respond: Respond,
): Promise<Simulator> {
  const begin = performance.now();
  const violations: string[] = [];
  const site: Site = {
    options,
    journal: createJournal(),
    faults: createFaultQueue(),
    script: createScript(options.script ?? [], options.neutral),
    now: () => performance.now() - begin,
    recognise: (exchange, seen) => {
      exchange.seen = seen;
      exchange.role =
        Object.entries(options.roles ?? {}).find(([, marker]) => holds(seen.opening, marker))?.[0] ?? null;
    },
    blame: (exchange, complaints) => {
      exchange.violations = [...exchange.violations, ...complaints];
      violations.push(...complaints.map(complaint => `${toName(exchange)}: ${complaint}`));
    },
  };
  const server = await startLoopback(async (request, response, rawBody) => {
    const exchange = receive(site, request, rawBody, toOperation);
    try {
      await respond(site, exchange, response);
    } catch (error) {
      site.blame(exchange, [`the simulator failed: ${String(error instanceof Error ? error.stack : error)}`]);
      response.destroy();
    }
  }, options.certificate);
  return {
    url: server.url,
    port: server.port,
    journal: site.journal,
    faults: site.faults,
    rules: site.script.rules,
    takeViolations: () => violations.splice(0),
    close: async () => {
      await server.close();
      if (violations.length > 0) throw new Error(`the model API was misused:\n${violations.join('\n')}`);
    },
  };
}

function receive(
  site: Site,
  request: IncomingMessage,
  rawBody: Buffer,
  toOperation: (method: string, path: string) => Operation,
): Exchange {
  const method = request.method ?? 'GET';
  const path = request.url ?? '/';
  const exchange: Exchange = {
    index: site.journal.exchanges.length + 1,
    operation: toOperation(method, path.split('?')[0] ?? '/'),
    method,
    path,
    headers: toHeaders(request),
    rawBody,
    body: parseJson(rawBody),
    at: site.now(),
    seen: null,
    role: null,
    prefixes: [],
    violations: [],
    fault: null,
    rule: null,
    answer: null,
    usage: null,
    status: 0,
    headersAt: null,
    startedAt: null,
    endedAt: null,
    ending: 'open',
  };
  site.journal.exchanges.push(exchange);
  return exchange;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // The rules of the protocol say what a body without JSON means.
    return undefined;
  }
}

function toName(exchange: Exchange): string {
  const who = exchange.seen === null ? '' : ` (${exchange.role ?? 'no role'}, turn ${exchange.seen.turn})`;
  return `#${exchange.index} ${exchange.method} ${exchange.path}${who}`;
}
