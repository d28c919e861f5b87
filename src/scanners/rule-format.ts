import { z } from 'zod';
import { SEVERITIES } from '../core/finding.ts';
import { ENGINE_LANGUAGE } from './languages.ts';
import { type PackRule, toEngineDocuments } from './rule-pack.ts';

const EngineLanguage = z.enum(Object.keys(ENGINE_LANGUAGE) as [keyof typeof ENGINE_LANGUAGE]);

export const RuleMetadata = z.strictObject({
  title: z.string().min(1).max(80),
  cwe: z.array(z.string().regex(/^CWE-\d+$/)).min(1),
  severity: z.enum(SEVERITIES),
  confidence: z.number().min(0).max(1),
  advice: z.string().min(1),
  languages: z.array(EngineLanguage).min(1).optional(),
  paths: z.array(z.string().min(1)).min(1).optional(),
  not_paths: z.array(z.string().min(1)).min(1).optional(),
});

const shared = {
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  severity: z.enum(['error', 'warning', 'info', 'hint']).optional(),
  message: z.string().min(1),
  note: z.string().optional(),
  url: z.string().optional(),
  metadata: RuleMetadata,
};

const SyntaxRule = z.strictObject({
  ...shared,
  language: EngineLanguage,
  rule: z.record(z.string(), z.unknown()),
  constraints: z.record(z.string(), z.unknown()).optional(),
  utils: z.record(z.string(), z.unknown()).optional(),
  transform: z.record(z.string(), z.unknown()).optional(),
  fix: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
});

// biome-ignore format: a list reads better in rows
const INSTRUCTIONS = [
  'FROM', 'RUN', 'CMD', 'ENTRYPOINT', 'COPY', 'ADD', 'ENV', 'ARG', 'USER', 'EXPOSE', 'LABEL', 'VOLUME', 'WORKDIR', 'SHELL',
  'HEALTHCHECK', 'ONBUILD', 'STOPSIGNAL', 'MAINTAINER',
] as const;

const Expression = z.string().min(1).refine(isExpression, 'not a regular expression of JavaScript');

export const DockerfileMatcher = z.strictObject({
  instruction: z.union([z.enum(INSTRUCTIONS), z.array(z.enum(INSTRUCTIONS)).min(1)]),
  matches: Expression.optional(),
  not_matches: Expression.optional(),
  last: z.boolean().optional(),
  stage: z.enum(['any', 'final']).optional(),
  missing: z.boolean().optional(),
});
export type DockerfileMatcher = z.infer<typeof DockerfileMatcher>;

const DockerfileRule = z.strictObject({ ...shared, language: z.literal('dockerfile'), rule: DockerfileMatcher });

/** Throws with the place in the rule where it is wrong. */
export function toPackRule(value: unknown, place: string): PackRule {
  const isDockerfile = (value as { language?: unknown } | null)?.language === 'dockerfile';
  const parsed = (isDockerfile ? DockerfileRule : SyntaxRule).safeParse(value);
  if (!parsed.success) throw new Error(describe(parsed.error));
  const { id, message, note, metadata } = parsed.data;
  const common = { id, place, message, metadata, ...(note === undefined ? {} : { note }) };
  if (parsed.data.language === 'dockerfile') {
    return { ...common, languages: ['dockerfile'], engine: [], dockerfile: parsed.data.rule as DockerfileMatcher };
  }
  const { metadata: _ours, severity: _theirs, url: _url, language, ...document } = parsed.data;
  const languages = [...new Set(metadata.languages ?? [language])].map(name => ENGINE_LANGUAGE[name]);
  return {
    ...common,
    languages,
    engine: toEngineDocuments(document, languages),
  };
}

function describe(error: z.ZodError): string {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return `${path === '' ? 'rule' : path}: ${issue?.message ?? 'not valid'}`;
}

function isExpression(text: string): boolean {
  try {
    new RegExp(text, 'is');
    return true;
  } catch {
    return false;
  }
}
