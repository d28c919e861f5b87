import type { Exchange } from '../exchange.ts';
import { API_VERSION, isJson } from './headers.ts';
import { type ClaudeModel, findBedrockModel } from './models.ts';

export interface BedrockCall {
  /** The body as the Messages API would have it: model and stream come from the path. */
  readonly body: Record<string, unknown>;
  readonly model: ClaudeModel | undefined;
  /** Signed with AWS credentials, not with a Bedrock key. The signature itself is not checked. */
  readonly signed: boolean;
  readonly complaints: string[];
}

/** A call to Bedrock's runtime, or null when the request is one to Anthropic. */
export function readBedrock(exchange: Exchange): BedrockCall | null {
  const path = exchange.path.split('?')[0] ?? '';
  const [, encoded, verb] = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? [];
  if (encoded === undefined) return null;
  const id = decodeURIComponent(encoded);
  const { anthropic_version, anthropic_beta, ...rest } = (exchange.body ?? {}) as Record<string, unknown>;
  const complaints: string[] = [];
  if (anthropic_version !== API_VERSION && anthropic_version !== 'bedrock-2023-05-31') {
    complaints.push(`anthropic_version: ${String(anthropic_version)} is not known`);
  }
  if (anthropic_beta !== undefined) complaints.push('anthropic_beta: no beta is known here');
  if (exchange.headers['anthropic-version'] !== undefined) complaints.push('anthropic-version: belongs into the body');
  if (!isJson(exchange.headers['content-type'])) complaints.push('content-type: expected application/json');
  if ('model' in rest || 'stream' in rest) complaints.push('model and stream belong into the path');
  const authorization = exchange.headers['authorization'] ?? '';
  const signed = authorization.startsWith('AWS4-HMAC-SHA256 ');
  if (
    signed &&
    !/Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request, ?SignedHeaders=.*host.*, ?Signature=[0-9a-f]{64}$/.test(
      authorization,
    )
  ) {
    complaints.push('authorization: the AWS signature has not its form');
  }
  return {
    body: { ...rest, model: id, ...(verb === 'invoke' ? {} : { stream: true }) },
    model: findBedrockModel(id),
    signed,
    complaints,
  };
}
