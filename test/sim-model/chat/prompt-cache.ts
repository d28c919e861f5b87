import type { ChatBody } from './body.ts';

export interface ChatCachePlan {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** To be called when the answer has begun: from then on the prompt can be read. */
  commit(): void;
}

export interface ChatCache {
  plan(body: ChatBody): ChatCachePlan;
}

const MINIMUM_TOKENS = 1024;
const STEP_TOKENS = 128;

/**
 * OpenAI's automatic cache: the longest beginning that an earlier prompt of the same model had too, from 1,024 tokens on
 * and in steps of 128. Tools and answer schema stand in front of the messages. A token is four bytes.
 */
export function createChatCache(): ChatCache {
  const known: { model: string; bytes: Buffer }[] = [];
  return {
    plan: body => {
      const bytes = Buffer.from(JSON.stringify([body.tools ?? [], body.response_format ?? null, body.messages]));
      const shared = Math.max(
        0,
        ...known.filter(entry => entry.model === body.model).map(entry => countShared(entry.bytes, bytes)),
      );
      const tokens = Math.floor(shared / 4 / STEP_TOKENS) * STEP_TOKENS;
      return {
        promptTokens: Math.ceil(bytes.byteLength / 4),
        cachedTokens: tokens >= MINIMUM_TOKENS ? tokens : 0,
        commit: () => {
          known.push({ model: body.model, bytes });
        },
      };
    },
  };
}

function countShared(one: Buffer, other: Buffer): number {
  const length = Math.min(one.byteLength, other.byteLength);
  for (let at = 0; at < length; at += 1) {
    if (one[at] !== other[at]) return at;
  }
  return length;
}
