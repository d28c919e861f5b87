import type { Connection } from './anthropic.ts';
import { messagesProvider, quietOptions } from './anthropic.ts';
import type { Provider } from './attempt.ts';

/** AWS credentials as the edge of the program read them from the environment. */
export interface AwsCredential {
  readonly region: string;
  /** A Bedrock API key; goes before the signing keys. */
  readonly bearerToken: string | null;
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
  readonly sessionToken: string | null;
}

export const BEDROCK_PREFIX = 'bedrock/';

/** Claude on Amazon Bedrock: the Messages protocol in AWS's envelope, signed. The SDK is loaded at the first call. */
export function bedrockProvider(aws: AwsCredential, connection: Connection): Provider {
  const connect = async () => {
    const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
    const common = {
      ...quietOptions(connection),
      awsRegion: aws.region,
      baseURL: connection.baseUrl ?? `https://bedrock-runtime.${aws.region}.amazonaws.com`,
    };
    // Null, not absent, for the key: the SDK would read the environment.
    if (aws.bearerToken !== null) return new AnthropicBedrock({ ...common, apiKey: aws.bearerToken });
    return new AnthropicBedrock({
      ...common,
      apiKey: null,
      awsAccessKey: aws.accessKeyId ?? '',
      awsSecretKey: aws.secretAccessKey ?? '',
      awsSessionToken: aws.sessionToken,
    });
  };
  return messagesProvider('Amazon Bedrock', connect, id => id.slice(BEDROCK_PREFIX.length), connection);
}
