import type OpenAI from 'openai';
import type { ClientOptions } from 'openai';
import type { Connection } from './anthropic.ts';
import { type AttemptAnswer, type Meter, markStarted, type Provider } from './attempt.ts';
import { addChunk, type ChatDraft, emptyDraft, toChatAnswer } from './chat-answer.ts';
import { type ChatDialect, toChatParams } from './chat-messages.ts';
import { estimateRequestTokens, estimateTokens } from './estimate.ts';
import { clean, toFailure } from './failure.ts';
import { type ModelRequest, NO_USAGE, type Usage } from './model.ts';

export type ChatServer = 'openai' | 'openrouter' | 'openai_compat';

interface ServerFacts {
  readonly name: string;
  readonly prefix: string;
  readonly baseUrl: string;
}

const SERVERS: Record<ChatServer, ServerFacts> = {
  openai: { name: 'OpenAI', prefix: '', baseUrl: 'https://api.openai.com/v1' },
  openrouter: { name: 'OpenRouter', prefix: 'openrouter/', baseUrl: 'https://openrouter.ai/api/v1' },
  openai_compat: { name: 'the compatible server', prefix: 'openai_compat/', baseUrl: '' },
};

/** OpenAI, OpenRouter or a compatible server by chat completions. The SDK is loaded at the first call. */
export function chatProvider(server: ChatServer, apiKey: string, connection: Connection): Provider {
  const { name, prefix, baseUrl } = SERVERS[server];
  let client: Promise<OpenAI> | null = null;
  const connect = async () => {
    const { default: Client } = await import('openai');
    return new Client({
      apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: connection.baseUrl ?? baseUrl,
      fetch: connection.fetch as NonNullable<ClientOptions['fetch']>,
      maxRetries: 0,
      logLevel: 'off',
    });
  };
  return {
    async prepare() {
      client ??= connect();
      await client;
    },
    async attempt(request, signal, meter) {
      client ??= connect();
      const model = request.model.slice(prefix.length);
      const draft = emptyDraft();
      try {
        return await streamChat(await client, request, toChatParams(request, model, dialectOf(server, model)), draft, {
          signal,
          meter,
        });
      } catch (error) {
        return toFailure(error, name, connection.secrets, connection.now());
      } finally {
        if (meter.started) meter.usage = draft.usage ?? estimateUsage(request, draft);
      }
    },
  };

  async function streamChat(
    chat: OpenAI,
    request: ModelRequest,
    params: ReturnType<typeof toChatParams>,
    draft: ChatDraft,
    { signal, meter }: { signal: AbortSignal; meter: Meter },
  ): Promise<AttemptAnswer> {
    const { data, response } = await chat.chat.completions.create(params, { signal }).withResponse();
    if (response.headers.get('content-type')?.includes('json')) {
      const body = (await response.json()) as Parameters<typeof addChunk>[1];
      if (body.choices !== undefined) markStarted(request, meter);
      addChunk(draft, body);
    } else {
      for await (const chunk of data) {
        markStarted(request, meter);
        addChunk(draft, chunk);
        if (draft.usage !== null) meter.usage = draft.usage;
      }
    }
    signal.throwIfAborted();
    const answer = toChatAnswer(draft);
    return answer.status === 'ok'
      ? answer
      : { ...answer, reason: `${name}: ${clean(answer.reason, connection.secrets)}` };
  }
}

function dialectOf(server: ChatServer, model: string): ChatDialect {
  if (server === 'openai_compat') return { limit: 'max_tokens', effort: 'none', breakpoints: false };
  if (server === 'openrouter') {
    return { limit: 'max_tokens', effort: 'reasoning', breakpoints: model.startsWith('anthropic/') };
  }
  // Models before reasoning refuse the parameter.
  const reasons = !/^(?:gpt-[34]|chatgpt-4)/.test(model);
  return { limit: 'max_completion_tokens', effort: reasons ? 'reasoning_effort' : 'none', breakpoints: false };
}

/** Usage comes in the last chunk, or never from some servers: then what was sent and received is billed by estimate. */
function estimateUsage(request: ModelRequest, draft: ChatDraft): Usage {
  const output = draft.text + draft.calls.map(call => call?.args ?? '').join('');
  return {
    ...NO_USAGE,
    inputTokens: estimateRequestTokens(request),
    outputTokens: Math.min(request.maxTokens, estimateTokens(output)),
  };
}
