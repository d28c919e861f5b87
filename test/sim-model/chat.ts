import type { ServerResponse } from 'node:http';
import { isJson, readBearer } from './anthropic/headers.ts';
import { ChatBody, toChatComplaints } from './chat/body.ts';
import { buildCompletion, toChunks, toSeenChatUsage } from './chat/completion.ts';
import { FLAVOURS, type Flavour } from './chat/flavour.ts';
import { type ChatCache, createChatCache } from './chat/prompt-cache.ts';
import { readChatPrompt } from './chat/read-prompt.ts';
import { checkChatRules } from './chat/rules.ts';
import { type BrokenFrames, bendFrames, deliver } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { bendAnswer, type Fault } from './faults.ts';
import { type Simulator, type Site, type SiteOptions, startSite } from './site.ts';
import { sendJson, strike } from './strike.ts';

export interface ChatOptions extends SiteOptions {
  /** Default `openai`. */
  readonly flavour?: Flavour;
  /** The key that is let in; default `sk-test`. */
  readonly key?: string;
  /** Ids that exist; default every one. */
  readonly models?: readonly string[];
}

export interface ChatSimulator extends Simulator {
  /** What a client takes as its base URL: with `/v1` (OpenRouter: `/api/v1`). */
  readonly baseUrl: string;
}

interface ChatContext {
  readonly options: ChatOptions;
  readonly flavour: Flavour;
  readonly cache: ChatCache;
}

/** The chat-completions protocol on loopback, as the `openai` SDK 7 speaks it with OpenAI, OpenRouter and their like. */
export async function startChat(options: ChatOptions = {}): Promise<ChatSimulator> {
  const context: ChatContext = { options, flavour: options.flavour ?? 'openai', cache: createChatCache() };
  const base = FLAVOURS[context.flavour].basePath;
  const simulator = await startSite(
    options,
    (method, path) => {
      if (method === 'POST' && path === `${base}/chat/completions`) return 'chat';
      return method === 'GET' && path === `${base}/models` ? 'models' : 'unknown';
    },
    (site, exchange, response) => respond(context, site, exchange, response),
  );
  return { ...simulator, baseUrl: `${simulator.url}${base}` };
}

async function respond(context: ChatContext, site: Site, exchange: Exchange, response: ServerResponse) {
  const { options, flavour } = context;
  const toError = (status: number, message?: string, type?: string) => toChatError(flavour, status, message, type);
  const fail = (status: number, message?: string) =>
    sendJson(site, exchange, response, { status, body: toError(status, message) });
  const refuse = (complaints: readonly string[], status = 400) => {
    site.blame(exchange, complaints);
    return fail(status, complaints[0]);
  };
  if (exchange.operation === 'unknown') return refuse(['there is no such endpoint'], 404);
  const key = options.key ?? 'sk-test';
  const bearer = readBearer(exchange);
  if (bearer === null) return refuse(['authorization: Bearer is missing'], 401);
  if (bearer !== key) return fail(401);
  if (exchange.rawBody.includes(key)) return refuse(['the API key is in the body']);
  if (exchange.operation === 'models') {
    const data = (options.models ?? []).map(id => ({ id, object: 'model', created: 0, owned_by: 'simulator' }));
    return sendJson(site, exchange, response, { status: 200, body: { object: 'list', data } });
  }
  if (!isJson(exchange.headers['content-type'])) return refuse(['content-type: expected application/json']);
  const parsed = ChatBody.safeParse(exchange.body);
  if (!parsed.success) return refuse(toChatComplaints(parsed.error));
  const body = parsed.data;
  const complaints = checkChatRules(body, flavour);
  if (complaints.length > 0) return refuse(complaints);
  site.recognise(exchange, readChatPrompt(body));
  if (options.models?.includes(body.model) === false) return fail(404, `The model '${body.model}' does not exist`);
  const fault = site.faults.take(exchange);
  exchange.fault = fault?.kind ?? null;
  if (fault !== null && (await strike(site, exchange, response, fault, toError))) return;
  await answerChat(context, site, exchange, response, { body, fault });
}

async function answerChat(
  context: ChatContext,
  site: Site,
  exchange: Exchange,
  response: ServerResponse,
  call: { body: ChatBody; fault: Fault | null },
) {
  const { flavour } = context;
  const { body, fault } = call;
  const rules = FLAVOURS[flavour];
  const plan = context.cache.plan(exchange.body as ChatBody);
  const chosen = site.script.choose(exchange);
  site.blame(exchange, chosen.faults);
  const answer = bendAnswer(chosen.answer, fault);
  exchange.rule = chosen.rule;
  exchange.answer = answer;
  const id = `chatcmpl-${String(exchange.index).padStart(24, '0')}`;
  const completion = buildCompletion({ id, body, answer, plan, flavour });
  exchange.usage = toSeenChatUsage(completion);
  const streams = body.stream === true;
  const withUsage = !rules.usageOnRequest || body.stream_options?.include_usage === true;
  const events = [...toChunks(completion, withUsage).map(chunk => JSON.stringify(chunk)), '[DONE]'];
  const whole = streams ? events.map(event => `data: ${event}\n\n`) : [JSON.stringify(completion)];
  const { frames, ending } = bendFrames(whole, fault, createBroken(flavour, streams, completion));
  await deliver(
    response,
    {
      status: 200,
      headers: {
        'content-type': streams ? 'text/event-stream; charset=utf-8' : 'application/json',
        'x-request-id': `req_${id.slice(-12)}`,
      },
      frames,
      pace: answer.pace ?? site.options.pace ?? {},
      ending,
      onStarted: plan.commit,
      ...(streams && rules.keepAlive !== null
        ? {
            ping: {
              everyMs: site.options.pingEveryMs ?? 5000,
              frame: rules.keepAlive,
              whileHanging: fault?.kind === 'stall' && fault.pings === true,
            },
          }
        : {}),
    },
    exchange,
    site.now,
  );
}

function createBroken(flavour: Flavour, streams: boolean, completion: { id: string; model: string }): BrokenFrames {
  return {
    error: fault => {
      const error = toChatError(flavour, 502, fault.message ?? 'Provider disconnected', fault.type).error;
      const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
      const chunk = { id: completion.id, object: 'chat.completion.chunk', model: completion.model, error, choices };
      return streams ? `data: ${JSON.stringify(chunk)}\n\n` : JSON.stringify({ error });
    },
    notJson: () => (streams ? 'data: {"id":"chatcm\n\n' : '<html>Bad gateway</html>'),
  };
}

const MESSAGES: Record<number, string> = {
  401: 'Incorrect API key provided.',
  402: 'Insufficient credits.',
  403: 'Your account may not use this model.',
  404: 'The model does not exist.',
  413: 'The request is too large.',
  429: 'Rate limit reached for requests.',
  500: 'The server had an error while processing your request.',
  529: 'Provider overloaded.',
};

function toChatError(flavour: Flavour, status: number, message?: string, type?: string) {
  const text = message ?? MESSAGES[status] ?? `Status ${status}`;
  if (flavour === 'openrouter') return { error: { code: status, message: text } };
  const kind = type ?? (status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message: text, type: kind, param: null, code: status === 401 ? 'invalid_api_key' : null } };
}
