import { EXTENSION_OF, type Language } from './languages.ts';
import { type Canary, FOLDER, type ParsedScan, type ScanContext } from './scanner.ts';

/**
 * The canary of a language: one file that every scanner of the language finds a fault in. ruff, bandit and ESLint know
 * the code; ast-grep gets a rule that looks for the token in the comment.
 */
export function languageCanary(context: ScanContext, language: Language): Canary {
  const { canaryFolder, canaryToken: token } = context;
  const content: Readonly<Record<Language, string>> = {
    python: `# ${token}\nimport subprocess\n\nsubprocess.call("canary " + name, shell=True)\n`,
    javascript: `// ${token}\neval(canary);\n`,
    typescript: `// ${token}\neval(canary);\n`,
    tsx: `// ${token}\neval(canary);\n`,
    go: `// ${token}\npackage canary\n`,
    java: `// ${token}\nclass Canary {}\n`,
    yaml: `# ${token}\ncanary: true\n`,
    html: `<!-- ${token} -->\n<p>canary</p>\n`,
    dockerfile: `FROM scratch\nLABEL ${token}=1\n`,
  };
  return {
    path: `${FOLDER.shared}/${language}/${canaryFolder}/canary.${EXTENSION_OF[language]}`,
    content: content[language],
  };
}

/** Canaries in which a scanner found nothing; each shows a folder that it did not read or rules that did not run. */
export function missedCanaries(canaries: readonly Canary[], scan: ParsedScan): string[] {
  const hit = new Set(scan.findings.map(finding => finding.jobPath));
  return canaries.map(canary => canary.path).filter(path => !hit.has(path));
}

/** Takes the canaries' own findings out. */
export function withoutCanaries(scan: ParsedScan, context: ScanContext): ParsedScan {
  return { ...scan, findings: scan.findings.filter(finding => !finding.jobPath.includes(`/${context.canaryFolder}/`)) };
}
