import { type Answer, cutToTokens, toStop, toText, toTokens } from '../answer.ts';
import type { SeenUsage } from '../exchange.ts';
import type { Block, MessagesBody } from './body.ts';
import type { ClaudeModel } from './models.ts';
import type { CachePlan } from './prompt-cache.ts';
import { signThinking } from './thinking.ts';

export type Message = ReturnType<typeof buildMessage>;

export interface MessageParts {
  readonly id: string;
  readonly body: MessagesBody;
  readonly model: ClaudeModel;
  readonly answer: Answer;
  readonly plan: CachePlan;
}

const STOPS = {
  end: 'end_turn',
  tools: 'tool_use',
  max_tokens: 'max_tokens',
  refusal: 'refusal',
  pause: 'pause_turn',
  context_window: 'model_context_window_exceeded',
} as const;

/** The Message that the API would give for this answer: blocks in the model's order, signed thinking, usage. */
export function buildMessage(parts: MessageParts) {
  const { id, body, answer, plan } = parts;
  const thinkingTokens = toTokens(answer.thinking ?? '');
  const text = toText(answer);
  const whole =
    thinkingTokens + toTokens(text) + toTokens((answer.calls ?? []).map(call => JSON.stringify(call)).join(''));
  const fits = whole <= body.max_tokens;
  const room = Math.max(0, body.max_tokens - thinkingTokens);
  const said: Answer = fits ? answer : { ...answer, text: cutToTokens(text, room), calls: [], stop: 'max_tokens' };
  const stop = toStop(said);
  const output = Math.max(1, answer.outputTokens ?? (fits ? whole : body.max_tokens));
  return {
    id,
    type: 'message' as const,
    role: 'assistant' as const,
    model: body.model,
    content: listBlocks(parts, fits ? said : { ...said, json: undefined }),
    container: null,
    diagnostics: null,
    stop_reason: STOPS[stop],
    stop_sequence: null,
    stop_details: stop === 'refusal' ? { type: 'refusal' as const, ...toRefusal(answer) } : null,
    usage: toUsage(plan, output, thinkingTokens),
  };
}

export function toSeenUsage(message: Message): SeenUsage {
  const { usage } = message;
  return {
    input: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    output: usage.output_tokens,
  };
}

function toRefusal(answer: Answer) {
  return { category: answer.refusal?.category ?? null, explanation: answer.refusal?.explanation ?? null };
}

function toUsage(plan: CachePlan, output: number, thinkingTokens: number) {
  return {
    input_tokens: plan.inputTokens,
    output_tokens: output,
    cache_creation_input_tokens: plan.write5mTokens + plan.write1hTokens,
    cache_read_input_tokens: plan.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: plan.write5mTokens,
      ephemeral_1h_input_tokens: plan.write1hTokens,
    },
    output_tokens_details: { thinking_tokens: thinkingTokens },
    server_tool_use: null,
    service_tier: 'standard' as const,
    inference_geo: null,
    speed: null,
  };
}

function listBlocks(parts: MessageParts, answer: Answer): Block[] {
  const blocks: Block[] = [];
  const shown = parts.body.thinking?.type === 'adaptive' && parts.body.thinking.display === 'summarized';
  const think = (thinking: string) => {
    const place = { ...parts.body, blocksBefore: [...blocks], system: parts.body.system, tools: parts.body.tools };
    blocks.push({
      type: 'thinking',
      thinking: shown ? thinking : '',
      signature: signThinking(shown ? thinking : '', place),
    });
  };
  const calls = answer.calls ?? [];
  const thinks = parts.body.thinking?.type !== 'disabled' && parts.body.thinking?.type !== 'between_tools';
  if (thinks && (toStop(answer) !== 'refusal' || answer.thinking !== undefined)) think(answer.thinking ?? '');
  const text = toText(answer);
  if (text !== '') {
    if (calls.length > 0 && parts.model.textBetweenToolsHidden) think(text);
    else blocks.push({ type: 'text', text, citations: null });
  }
  for (const [index, call] of calls.entries()) {
    const id = `toolu_${parts.id.slice(4)}${String(index).padStart(2, '0')}`;
    const input = toStop(answer) === 'max_tokens' && index === calls.length - 1 ? {} : { ...call.input };
    blocks.push({ type: 'tool_use', id, name: call.name, input, caller: { type: 'direct' } });
  }
  return blocks;
}
