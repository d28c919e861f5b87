import { toPieces } from '../answer.ts';
import type { Frame } from '../deliver.ts';
import type { Block } from './body.ts';
import type { Message } from './build-message.ts';

/** Characters in one delta; small enough that a break can fall inside any block. */
const PIECE = 48;

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The message as the API streams it: start, a ping, each block in pieces, the delta with the final usage, stop. */
export function toEvents(message: Message): StreamEvent[] {
  const { usage } = message;
  const { cache_creation: _split, service_tier: _tier, inference_geo: _geo, speed: _speed, ...lastUsage } = usage;
  return [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_details: null,
        usage: { ...usage, output_tokens: 1, output_tokens_details: null },
      },
    },
    { type: 'ping' },
    ...message.content.flatMap((block, index) => toBlockEvents(block, index, message.stop_reason === 'max_tokens')),
    {
      type: 'message_delta',
      delta: {
        stop_reason: message.stop_reason,
        stop_sequence: message.stop_sequence,
        stop_details: message.stop_details,
        container: null,
      },
      usage: lastUsage,
    },
    { type: 'message_stop' },
  ];
}

export function toSseFrame(event: StreamEvent): Frame {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function toBlockEvents(block: Block, index: number, broken: boolean): StreamEvent[] {
  const delta = (part: Record<string, unknown>) => ({ type: 'content_block_delta', index, delta: part });
  const start = (part: Record<string, unknown>) => ({ type: 'content_block_start', index, content_block: part });
  const stop = { type: 'content_block_stop', index };
  switch (block.type) {
    case 'text':
      return [
        start({ ...block, text: '' }),
        ...toPieces(block.text, PIECE).map(text => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...toPieces(block.thinking, PIECE).map(thinking =>
          delta({ type: 'thinking_delta', thinking, estimated_tokens: null }),
        ),
        delta({ type: 'signature_delta', signature: block.signature }),
        stop,
      ];
    case 'tool_use': {
      // A call cut off by max_tokens ends inside its JSON.
      const cut = broken && Object.keys(block.input).length === 0;
      const json = cut ? '{"path": "sr' : JSON.stringify(block.input);
      return [
        start({ ...block, input: {} }),
        delta({ type: 'input_json_delta', partial_json: '' }),
        ...toPieces(json, PIECE).map(partial_json => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ];
    }
    default:
      return [];
  }
}
