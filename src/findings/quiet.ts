import type { RawFinding } from '../core/finding.ts';
import { toPathMatcher } from '../core/globs.ts';
import { namesRule } from './identity.ts';
import type { MergedFinding } from './merge.ts';
import { GENERATED_PATHS, MINIFIED_LINE_CHARS, NOISY_RULES, SECRET_WEAKNESSES, TEST_PATHS } from './noise.ts';

export interface QuietSettings {
  /** True for files that the base branch's .gitattributes calls generated or vendored (see readLinguistAttributes). */
  readonly isGeneratedFile?: (path: string) => boolean;
  /** True for files whose text is minified (see isMinified). */
  readonly isMinifiedFile?: (path: string) => boolean;
}

/** Says for each noisy finding why it belongs in the summary; drops and reorders nothing. */
export function quietFindings<T extends MergedFinding>(
  findings: readonly T[],
  settings: QuietSettings = {},
): (T & { readonly quiet?: string })[] {
  return findings.map(finding => {
    const quiet = isSecret(finding) ? undefined : reasonOf(finding, settings);
    return quiet === undefined ? finding : { ...finding, quiet };
  });
}

/** True for findings of gitleaks and for hard-coded credentials of any tool. */
export const isSecret = ({ members, cwe }: MergedFinding): boolean =>
  members.some(member => member.tool === 'gitleaks') || cwe.some(id => SECRET_WEAKNESSES.includes(id));

/** True when a line of the file is longer than people write; only the first 2 MiB are looked at. */
export function isMinified(text: string): boolean {
  let start = 0;
  const end = Math.min(text.length, 2 * 1024 * 1024);
  while (start < end) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    if (stop - start > MINIFIED_LINE_CHARS) return true;
    start = stop + 1;
  }
  return false;
}

function reasonOf(finding: MergedFinding, settings: QuietSettings): string | undefined {
  const { path, severity, members } = finding;
  if (isGeneratedPath(path)) return 'in a generated or vendored file, by its path';
  if (settings.isGeneratedFile?.(path))
    return 'in a file that .gitattributes of the base branch calls generated or vendored';
  if (settings.isMinifiedFile?.(path)) return 'in a minified file';
  const noise = members.map(noiseOf);
  const [first] = noise;
  if (first !== undefined && !noise.includes(undefined)) return `${finding.primary.ruleId} is a noisy rule: ${first}`;
  if ((severity === 'low' || severity === 'info') && isTestPath(path)) return 'low severity in test or example code';
  return undefined;
}

const isGeneratedPath = toPathMatcher(GENERATED_PATHS);
const isTestPath = toPathMatcher(TEST_PATHS);

const noiseOf = ({ tool, ruleId }: RawFinding): string | undefined =>
  NOISY_RULES.find(
    noisy => noisy.tool === tool && (namesRule(noisy.rule, tool, ruleId) || ruleId.endsWith(`/${noisy.rule}`)),
  )?.why;
