import type { ServerResponse } from 'node:http';
import { type BrokenFrames, bendFrames, deliver, type Frame } from '../deliver.ts';
import type { Exchange } from '../exchange.ts';
import { bendAnswer, type Fault } from '../faults.ts';
import type { Site } from '../site.ts';
import type { MessagesBody } from './body.ts';
import { buildMessage, toSeenUsage } from './build-message.ts';
import { toErrorBody } from './errors.ts';
import { toChunkFrame, toExceptionFrame } from './event-stream.ts';
import { type StreamEvent, toEvents, toSseFrame } from './events.ts';
import type { ClaudeModel } from './models.ts';
import type { CachePlan } from './prompt-cache.ts';

export interface PromptCall {
  readonly body: MessagesBody;
  readonly model: ClaudeModel;
  readonly plan: CachePlan;
  readonly fault: Fault | null;
  readonly framing: 'sse' | 'aws';
}

const STREAM_TYPES = { sse: 'text/event-stream; charset=utf-8', aws: 'application/vnd.amazon.eventstream' } as const;

/** Says what the script has for this prompt, as JSON or as a stream, bent by the fault. */
export async function answerPrompt(site: Site, exchange: Exchange, response: ServerResponse, call: PromptCall) {
  const chosen = site.script.choose(exchange);
  site.blame(exchange, chosen.faults);
  const answer = bendAnswer(chosen.answer, call.fault);
  exchange.rule = chosen.rule;
  exchange.answer = answer;
  const message = buildMessage({ ...call, id: `msg_${String(exchange.index).padStart(18, '0')}`, answer });
  exchange.usage = toSeenUsage(message);
  const streams = call.body.stream === true;
  const toFrame: (event: StreamEvent) => Frame = call.framing === 'aws' ? toChunkFrame : toSseFrame;
  const { frames, ending } = bendFrames(
    streams ? toEvents(message).map(toFrame) : [JSON.stringify(message)],
    call.fault,
    createBroken(streams, call.framing),
  );
  const stalls = call.fault?.kind === 'stall';
  await deliver(
    response,
    {
      status: 200,
      headers: {
        'content-type': streams ? STREAM_TYPES[call.framing] : 'application/json',
        'request-id': `req_${message.id.slice(4)}`,
      },
      frames,
      pace: answer.pace ?? site.options.pace ?? {},
      ending,
      onStarted: call.plan.commit,
      ...(streams
        ? {
            ping: {
              everyMs: site.options.pingEveryMs ?? 5000,
              frame: toFrame({ type: 'ping' }),
              whileHanging: stalls && call.fault.pings === true,
            },
          }
        : {}),
    },
    exchange,
    site.now,
  );
}

function createBroken(streams: boolean, framing: 'sse' | 'aws'): BrokenFrames {
  return {
    error: fault => {
      const type = fault.type ?? 'overloaded_error';
      const message = fault.message ?? 'Overloaded';
      if (framing === 'aws') return toExceptionFrame('modelStreamErrorException', message);
      const { error } = toErrorBody(529, message, type);
      return streams ? toSseFrame({ type: 'error', error }) : JSON.stringify({ type: 'error', error });
    },
    notJson: () => (streams ? 'event: content_block_delta\ndata: {"type":"content_bl\n\n' : '<html>Bad gateway</html>'),
  };
}
