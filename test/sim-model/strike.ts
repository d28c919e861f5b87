import type { ServerResponse } from 'node:http';
import { deliver } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { type Fault, toRetryHeaders } from './faults.ts';
import type { Site } from './site.ts';

/** How a protocol words an error. */
export type ToError = (status: number, message?: string, type?: string) => unknown;

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends one JSON answer, nothing scripted. */
export async function sendJson(
  site: Site,
  exchange: Exchange,
  response: ServerResponse,
  answer: { status: number; body: unknown; headers?: Record<string, string> },
): Promise<void> {
  const headers = { ...JSON_TYPE, ...answer.headers };
  const frames = [JSON.stringify(answer.body)];
  await deliver(response, { status: answer.status, headers, frames, pace: {}, ending: 'end' }, exchange, site.now);
}

/** Plays a fault that leaves no room for an answer; false when the fault is of another kind. */
export async function strike(
  site: Site,
  exchange: Exchange,
  response: ServerResponse,
  fault: Fault,
  toError: ToError,
): Promise<boolean> {
  switch (fault.kind) {
    case 'status':
      await sendJson(site, exchange, response, {
        status: fault.status,
        body: toError(fault.status, fault.message, fault.type),
        headers: toRetryHeaders(fault),
      });
      return true;
    case 'error-200':
      await sendJson(site, exchange, response, { status: 200, body: toError(fault.code ?? 502, fault.message) });
      return true;
    case 'redirect':
      await sendJson(site, exchange, response, {
        status: fault.status ?? 307,
        body: {},
        headers: { location: fault.to },
      });
      return true;
    case 'reset':
      if (fault.at !== 'connection') return false;
      exchange.ending = 'reset';
      exchange.endedAt = site.now();
      response.socket?.resetAndDestroy();
      return true;
    case 'stall':
      if (fault.at !== 'headers') return false;
      await new Promise<void>(resolve => response.once('close', () => resolve()));
      exchange.ending = 'client-gone';
      exchange.endedAt = site.now();
      return true;
    default:
      return false;
  }
}
