import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { answerPrompt } from './anthropic/answer-prompt.ts';
import { readBedrock } from './anthropic/bedrock.ts';
import { CountTokensBody, MessagesBody, toComplaints } from './anthropic/body.ts';
import { toErrorBody } from './anthropic/errors.ts';
import { checkHeaders, listBetas, OAUTH_BETA, readBearer } from './anthropic/headers.ts';
import { CLAUDE_MODELS, findModel } from './anthropic/models.ts';
import { createPromptCache, type PromptCache } from './anthropic/prompt-cache.ts';
import { readPrompt } from './anthropic/read-prompt.ts';
import { checkRules } from './anthropic/rules.ts';
import { type Federation, judgeExchange } from './anthropic/token.ts';
import type { Exchange, Operation } from './exchange.ts';
import { type Simulator, type Site, type SiteOptions, startSite } from './site.ts';
import { sendJson, strike } from './strike.ts';

export interface AnthropicOptions extends SiteOptions {
  /** The API key (Bedrock's too) that is let in; another one answers 401. Default `sk-ant-test`. */
  readonly key?: string;
  readonly federation?: Federation;
  /** Beta headers that are known besides OAuth's; default none. */
  readonly betas?: readonly string[];
  /** Shortest prefix that is cached; default 1,024 tokens. */
  readonly cacheMinimumTokens?: number;
}

interface AnthropicContext {
  readonly options: AnthropicOptions;
  readonly cache: PromptCache;
  readonly tokens: Set<string>;
}

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Anthropic's Messages API of 2026-10-21 on loopback, as the SDK 1.x speaks it: messages, count_tokens, models, the
 * federation's token exchange, and the same messages in Bedrock's framing. A request that the API would refuse is
 * answered as the API would and remembered: close() rejects.
 */
export async function startAnthropic(options: AnthropicOptions = {}): Promise<Simulator> {
  const cache = createPromptCache({
    minimumTokens: options.cacheMinimumTokens ?? 1024,
    now: () => performance.now(),
  });
  const context: AnthropicContext = { options, cache, tokens: new Set() };
  return startSite(options, toOperation, (site, exchange, response) => respond(context, site, exchange, response));
}

function toOperation(method: string, path: string): Operation {
  if (method === 'GET') return /^\/v1\/models(\/[^/]+)?$/.test(path) ? 'models' : 'unknown';
  if (path === '/v1/messages' || /^\/model\/[^/]+\/invoke(-with-response-stream)?$/.test(path)) return 'messages';
  if (path === '/v1/messages/count_tokens') return 'count-tokens';
  return path === '/v1/oauth/token' ? 'token' : 'unknown';
}

async function respond(context: AnthropicContext, site: Site, exchange: Exchange, response: ServerResponse) {
  const fail = (status: number, message?: string) =>
    sendJson(site, exchange, response, { status, body: toErrorBody(status, message) });
  if (exchange.operation === 'unknown') {
    site.blame(exchange, ['there is no such endpoint']);
    return fail(404);
  }
  if (exchange.operation === 'token') return exchangeToken(context, site, exchange, response);
  const bedrock = readBedrock(exchange);
  const complaints = bedrock === null ? checkHeaders(exchange, listKnownBetas(context)) : bedrock.complaints;
  const key = context.options.key ?? 'sk-ant-test';
  if (exchange.rawBody.includes(key)) complaints.push('the API key is in the body');
  if (complaints.length > 0) return blameAndFail(site, exchange, response, complaints);
  if (bedrock === null || !bedrock.signed) {
    const bearer = readBearer(exchange);
    if (bearer === null) return blameAndFail(site, exchange, response, ['authorization: Bearer is missing'], 401);
    if (bearer !== key && !isTokenOf(context, exchange, bearer)) return fail(401);
  }
  if (exchange.rawBody.byteLength > MAX_BYTES) return fail(413);
  if (exchange.operation === 'models') return listModels(site, exchange, response);
  const parsed = (exchange.operation === 'messages' ? MessagesBody : CountTokensBody).safeParse(
    bedrock?.body ?? exchange.body,
  );
  if (!parsed.success) return blameAndFail(site, exchange, response, toComplaints(parsed.error));
  const body = parsed.data;
  site.recognise(exchange, readPrompt(body));
  const model = bedrock === null ? findModel(body.model) : bedrock.model;
  if (model === undefined) return fail(404, `model: ${body.model}`);
  const plan = context.cache.plan((bedrock?.body ?? exchange.body) as CountTokensBody);
  exchange.prefixes = plan.prefixes;
  const broken = [...plan.complaints, ...checkRules(body, model)];
  if (broken.length > 0) return blameAndFail(site, exchange, response, broken);
  if (plan.totalTokens > model.contextTokens) {
    return fail(400, `prompt is too long: ${plan.totalTokens} tokens > ${model.contextTokens} maximum`);
  }
  const fault = site.faults.take(exchange);
  exchange.fault = fault?.kind ?? null;
  if (fault !== null && (await strike(site, exchange, response, fault, toErrorBody))) return;
  if (!isMessages(body)) {
    return sendJson(site, exchange, response, { status: 200, body: { input_tokens: plan.totalTokens } });
  }
  await answerPrompt(site, exchange, response, { body, model, plan, fault, framing: bedrock === null ? 'sse' : 'aws' });
}

function isMessages(body: CountTokensBody | MessagesBody): body is MessagesBody {
  return 'max_tokens' in body;
}

async function blameAndFail(
  site: Site,
  exchange: Exchange,
  response: ServerResponse,
  complaints: string[],
  status = 400,
) {
  site.blame(exchange, complaints);
  await sendJson(site, exchange, response, { status, body: toErrorBody(status, complaints[0]) });
}

function listKnownBetas(context: AnthropicContext): string[] {
  return [OAUTH_BETA, ...(context.options.betas ?? [])];
}

function isTokenOf(context: AnthropicContext, exchange: Exchange, bearer: string): boolean {
  return context.tokens.has(bearer) && listBetas(exchange).includes(OAUTH_BETA);
}

async function exchangeToken(context: AnthropicContext, site: Site, exchange: Exchange, response: ServerResponse) {
  const verdict = judgeExchange(exchange, context.options.federation);
  if (verdict.kind === 'violation') return blameAndFail(site, exchange, response, verdict.complaints);
  const fault = site.faults.take(exchange);
  exchange.fault = fault?.kind ?? null;
  if (fault !== null && (await strike(site, exchange, response, fault, toErrorBody))) return;
  if (verdict.kind === 'refused') {
    const body = { error: 'invalid_grant', error_description: verdict.reason };
    return sendJson(site, exchange, response, { status: 401, body });
  }
  const token = `sk-ant-oat01-${randomBytes(12).toString('hex')}`;
  context.tokens.add(token);
  const body = { access_token: token, token_type: 'Bearer', expires_in: context.options.federation?.expiresIn ?? 3600 };
  await sendJson(site, exchange, response, { status: 200, body });
}

async function listModels(site: Site, exchange: Exchange, response: ServerResponse) {
  const data = CLAUDE_MODELS.map(model => ({
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: model.createdAt,
    lifecycle: 'active',
    max_input_tokens: model.contextTokens,
    max_tokens: model.maxOutputTokens,
  }));
  const page = { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  const one = /^\/v1\/models\/([^/?]+)/.exec(exchange.path)?.[1];
  const model = data.find(entry => entry.id === one);
  if (one === undefined) return sendJson(site, exchange, response, { status: 200, body: page });
  const status = model === undefined ? 404 : 200;
  await sendJson(site, exchange, response, { status, body: model ?? toErrorBody(404, `model: ${one}`) });
}
