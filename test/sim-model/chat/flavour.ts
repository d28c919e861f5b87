/** Who speaks the chat-completions protocol; they differ in what they take and in how they err. */
export type Flavour = 'openai' | 'openrouter' | 'compatible';

export interface FlavourRules {
  /** Path in front of `/chat/completions`; part of a client's base URL. */
  readonly basePath: string;
  /** Fields of the body that others know and this one refuses. */
  readonly refusedFields: readonly string[];
  /** Usage in a stream comes only when it was asked for. */
  readonly usageOnRequest: boolean;
  /** Sent as a comment while the model works; null: nothing is sent. */
  readonly keepAlive: string | null;
  /** `cache_control` on a part of a message. */
  readonly cacheMarks: boolean;
}

export const FLAVOURS: Readonly<Record<Flavour, FlavourRules>> = {
  openai: {
    basePath: '/v1',
    refusedFields: ['reasoning', 'usage', 'provider', 'transforms'],
    usageOnRequest: true,
    keepAlive: null,
    cacheMarks: false,
  },
  openrouter: {
    basePath: '/api/v1',
    refusedFields: [],
    usageOnRequest: false,
    keepAlive: ': OPENROUTER PROCESSING\n\n',
    cacheMarks: true,
  },
  compatible: {
    basePath: '/v1',
    refusedFields: ['reasoning', 'usage', 'provider', 'transforms', 'store', 'verbosity', 'prompt_cache_key'],
    usageOnRequest: true,
    keepAlive: ': keep-alive\n\n',
    cacheMarks: false,
  },
};

/** OpenAI's models that reason refuse sampling and the old name of the output limit. */
export function isReasoningModel(model: string): boolean {
  return /^(o\d|gpt-[5-9])/.test(model);
}
