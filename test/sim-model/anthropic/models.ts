/**
 * The Claude models of the API version 2026-10-21 and what each refuses (platform.claude.com, "What's new" of each model,
 * read 2026-11-30).
 */
export interface ClaudeModel {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Accepted values of `thinking.type`. */
  readonly thinking: readonly ('adaptive' | 'disabled' | 'between_tools')[];
  /** `tool_choice` any or tool. */
  readonly forcedTools: boolean;
  /** Thinking blocks hold only for the model and the conversation that made them. */
  readonly boundThinking: boolean;
  /** Text before or between tool calls arrives as a thinking block without text. */
  readonly textBetweenToolsHidden: boolean;
}

const CURRENT = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  boundThinking: true,
  textBetweenToolsHidden: true,
};
const OLDER = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  boundThinking: false,
  textBetweenToolsHidden: false,
};

export const CLAUDE_MODELS: readonly ClaudeModel[] = [
  {
    id: 'claude-fable-5-1',
    displayName: 'Claude Fable 5.1',
    createdAt: '2026-08-01T00:00:00Z',
    ...CURRENT,
    thinking: ['adaptive'],
    forcedTools: false,
  },
  {
    id: 'claude-opus-5-5',
    displayName: 'Claude Opus 5.5',
    createdAt: '2026-09-22T00:00:00Z',
    ...CURRENT,
    thinking: ['adaptive'],
    forcedTools: false,
  },
  {
    id: 'claude-sonnet-5-5',
    displayName: 'Claude Sonnet 5.5',
    createdAt: '2026-10-07T00:00:00Z',
    ...CURRENT,
    thinking: ['adaptive', 'between_tools'],
    forcedTools: false,
  },
  {
    id: 'claude-haiku-5-5',
    displayName: 'Claude Haiku 5.5',
    createdAt: '2026-10-07T00:00:00Z',
    ...CURRENT,
    thinking: ['adaptive', 'disabled'],
    forcedTools: true,
    textBetweenToolsHidden: false,
  },
  {
    id: 'claude-opus-5',
    displayName: 'Claude Opus 5',
    createdAt: '2026-07-24T00:00:00Z',
    ...OLDER,
    thinking: ['adaptive', 'disabled'],
    forcedTools: true,
  },
  {
    id: 'claude-sonnet-5',
    displayName: 'Claude Sonnet 5',
    createdAt: '2026-06-01T00:00:00Z',
    ...OLDER,
    thinking: ['adaptive', 'disabled'],
    forcedTools: true,
  },
];

export function findModel(id: string): ClaudeModel | undefined {
  return CLAUDE_MODELS.find(model => model.id === id);
}

/** Bedrock's ids carry a region, a vendor and a version around the same name. */
export function findBedrockModel(id: string): ClaudeModel | undefined {
  const name = /^(?:[a-z-]+\.)?anthropic\.(claude-[a-z0-9-]+?)(?:-v\d+(?::\d+)?)?$/.exec(id)?.[1];
  return name === undefined ? undefined : findModel(name);
}
