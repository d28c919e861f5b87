import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { STANDARD_OUTPUT, writeAll } from '../../guest/write-all.ts';
import { type Instruction, parseDockerfile } from './dockerfile-instructions.ts';

/** A rule as scanners/rule-format.ts has checked it. */
interface Rule {
  readonly id: string;
  readonly rule: {
    readonly instruction: string | readonly string[];
    readonly matches?: string;
    readonly not_matches?: string;
    readonly last?: boolean;
    readonly stage?: 'any' | 'final';
    readonly missing?: boolean;
  };
}

interface Match {
  readonly ruleId: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** Up to here reading takes less time than the start of a process; only a text made for it keeps the rules busy. */
const SHORT_BYTES = 32 * 1024;

/** `dockerfile RULES FOLDER…`: prints `{files: […]}` with one entry a Dockerfile of the folders. Exit 0 also with matches. */
export async function run([rulesFile = '', ...folders]: readonly string[]): Promise<number> {
  writeAll(STANDARD_OUTPUT, Buffer.from(toReport(rulesFile, folders.flatMap(listFiles))));
  return 0;
}

/** What `run` prints, where the Dockerfiles are short; undefined where they are not. */
export function runShort([rulesFile = '', ...folders]: readonly string[]): string | undefined {
  const files = folders.flatMap(listFiles);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  return bytes <= SHORT_BYTES ? toReport(rulesFile, files) : undefined;
}

function toReport(rulesFile: string, paths: readonly string[]): string {
  const rules = JSON.parse(readFileSync(rulesFile, 'utf8')) as Rule[];
  const files = paths.map(file => {
    try {
      return { file, matches: matchDockerfile(readFileSync(file, 'utf8'), rules) };
    } catch (error) {
      return { file, error: error instanceof Error ? error.message : String(error), matches: [] };
    }
  });
  return `${JSON.stringify({ files })}\n`;
}

/** Pure: what the rules find in one Dockerfile, in order of the lines. Lines are 1-based. */
export function matchDockerfile(text: string, rules: readonly Rule[]): Match[] {
  const stages = toStages(parseDockerfile(text));
  const matches = rules.flatMap(rule =>
    stages.flatMap((stage, index) => matchStage(stage, rule, index === stages.length - 1)),
  );
  return matches.sort((a, b) => a.startLine - b.startLine);
}

/** Each FROM begins a stage; what stands before the first (ARG) belongs to it. */
function toStages(instructions: readonly Instruction[]): Instruction[][] {
  const stages: Instruction[][] = [];
  let before: Instruction[] = [];
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') {
      stages.push([...before, instruction]);
      before = [];
    } else if (stages.length === 0) before.push(instruction);
    else stages.at(-1)?.push(instruction);
  }
  return before.length === 0 ? stages : [...stages, before];
}

function matchStage(stage: readonly Instruction[], { id, rule }: Rule, isFinal: boolean): Match[] {
  if (rule.stage === 'final' && !isFinal) return [];
  const names: readonly string[] = typeof rule.instruction === 'string' ? [rule.instruction] : rule.instruction;
  const named = stage.filter(instruction => names.includes(instruction.name));
  const candidates = rule.last === true ? named.slice(-1) : named;
  const fits = candidates.flatMap(instruction => matchInstruction(instruction, rule) ?? []);
  if (rule.missing !== true) return fits.map(place => ({ ruleId: id, ...place }));
  const from = stage.find(instruction => instruction.name === 'FROM');
  return fits.length > 0 || from === undefined
    ? []
    : [{ ruleId: id, startLine: from.startLine, endLine: from.endLine }];
}

function matchInstruction(
  instruction: Instruction,
  rule: Rule['rule'],
): { startLine: number; endLine: number } | undefined {
  if (rule.not_matches !== undefined && new RegExp(rule.not_matches, 'is').test(instruction.text)) return undefined;
  if (rule.matches === undefined) return { startLine: instruction.startLine, endLine: instruction.endLine };
  const found = new RegExp(rule.matches, 'is').exec(instruction.text);
  return found === null ? undefined : { startLine: instruction.lineAt(found.index), endLine: instruction.endLine };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory()
      ? listFiles(join(folder, entry.name))
      : entry.name.endsWith('.dockerfile')
        ? [join(folder, entry.name)]
        : [],
  );
}
