import type { z } from 'zod';
import type { ToolSpec } from '../../model/model.ts';
import { toJsonSchema } from '../json-schema.ts';
import { type ToolContext, ToolError } from './tool-context.ts';

/** A tool that a reviewer may call. */
export interface Tool {
  readonly spec: ToolSpec;
  /** Raw, cleaned text; throws a ToolError with a reason fit for the model. */
  run(input: unknown, context: ToolContext, call: ToolUse): Promise<string>;
}

export interface ToolUse {
  readonly role: string;
  readonly signal: AbortSignal;
}

interface ToolDefinition<T> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<T>;
  run(input: T, context: ToolContext, call: ToolUse): Promise<string>;
}

/** A tool whose input is checked before it runs. */
export function defineTool<T>({ name, description, input, run }: ToolDefinition<T>): Tool {
  return {
    spec: { name, description, inputSchema: toJsonSchema(input) },
    async run(value, context, call) {
      const parsed = input.safeParse(value ?? {});
      if (!parsed.success) {
        const issues = parsed.error.issues.map(issue => `${issue.path.join('.') || 'input'}: ${issue.message}`);
        throw new ToolError(issues.join('; ').slice(0, 500));
      }
      return run(parsed.data, context, call);
    },
  };
}

/** An argument that may be left out. */
export const optional = <T extends z.ZodType>(type: T) => type.nullable().default(null as never);

/** A whole number within bounds, whatever the model wrote. */
export const clamp = (value: number, least: number, most: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, Math.trunc(value))) : least;
