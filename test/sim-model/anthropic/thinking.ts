import { createHash, createHmac } from 'node:crypto';
import { type Block, type CountTokensBody, type MessageParam, toBlocks } from './body.ts';
import type { ClaudeModel } from './models.ts';

const SECRET = 'signs the thinking of the simulator';

/** Everything that stood before a block when the model made it. */
export interface ThinkingPlace {
  readonly model: string;
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly MessageParam[];
  readonly blocksBefore: readonly Block[];
}

/** A signature over the block's own text and model, and over all that stood before it. */
export function signThinking(thinking: string, place: ThinkingPlace): string {
  return Buffer.from(`${hashOwn(thinking, place.model)}.${hashBefore(place)}`).toString('base64');
}

/**
 * The API's complaints about echoed thinking: text or signature changed, another model's block, or (where the model binds
 * its thinking) a conversation that was changed before the block.
 */
export function checkThinking(body: CountTokensBody, model: ClaudeModel): string[] {
  return body.messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const blocks = toBlocks(message);
    return blocks.flatMap((block, position) => {
      if (block.type === 'redacted_thinking')
        return [`messages.${index}.content.${position}: Invalid \`data\` in \`redacted_thinking\` block`];
      if (block.type !== 'thinking') return [];
      const at = `messages.${index}.content.${position}: Invalid \`signature\` in \`thinking\` block`;
      const [own, before] = Buffer.from(block.signature, 'base64').toString().split('.');
      if (own !== hashOwn(block.thinking, body.model)) return [at];
      const place: ThinkingPlace = {
        model: body.model,
        system: body.system,
        tools: body.tools,
        messages: body.messages.slice(0, index),
        blocksBefore: blocks.slice(0, position),
      };
      if (model.boundThinking && before !== hashBefore(place)) {
        return [`${at}. The block is bound to a different conversation.`];
      }
      return [];
    });
  });
}

function hashOwn(thinking: string, model: string): string {
  return createHmac('sha256', SECRET).update(`${model}\n${thinking}`).digest('hex');
}

function hashBefore(place: ThinkingPlace): string {
  const system = typeof place.system === 'string' ? [{ type: 'text', text: place.system }] : (place.system ?? []);
  const messages = place.messages.map(message => ({ role: message.role, content: toBlocks(message) }));
  const whole = { system, tools: place.tools ?? [], messages, blocksBefore: place.blocksBefore };
  return createHash('sha256').update(JSON.stringify(whole, withoutMarks)).digest('hex');
}

// Cache marks move from call to call and are no content; `caller` and null citations may be left out of an echo.
function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' || key === 'caller' || key === 'citations' ? undefined : value;
}
