import type { Tree } from '../../core/tree.ts';
import type { Inspection } from '../../workspace/inspection.ts';
import type { Defences } from '../defences.ts';
import type { FileReader } from '../file-reader.ts';
import type { Guard } from '../guard.ts';
import type { ShownChange } from '../shown-change.ts';

/** Runs the repository's tests in the sandbox, all of them or those of one path; returns what they printed. */
export type RunTests = (target: string | null, signal: AbortSignal) => Promise<string>;

/** What the tools look at; everything is read-only and confined to the head tree. */
export interface ToolContext {
  readonly tree: Tree;
  readonly reader: FileReader;
  readonly inspection: Inspection | null;
  readonly shown: ShownChange;
  /** The policy keeps these paths from models. */
  readonly isIgnored: (path: string) => boolean;
  readonly guard: Guard;
  readonly defences: Defences;
  readonly runTests: RunTests | null;
}

/** A refusal or failure that the model reads as `error: …`. */
export class ToolError extends Error {}

/** The path of an argument, confined; throws a ToolError where it may not be read. */
export function takePath(context: ToolContext, written: string): string {
  const confined = context.defences.confinePath(written);
  if (confined.status === 'refused') throw new ToolError(confined.reason);
  if (confined.path !== '' && context.isIgnored(confined.path)) {
    throw new ToolError('the policy keeps this path from models');
  }
  return confined.path;
}
