import { appendFileSync } from 'node:fs';

// Written without @actions/core and node:crypto, since `resolve` says "does not apply" in the time that Node needs to start.

/**
 * Sets step outputs. Each value stands between delimiters that the value cannot hold, so that text from outside cannot
 * set another output. Without GITHUB_OUTPUT (a terminal) nothing is written.
 */
export function setOutputs(env: NodeJS.ProcessEnv, outputs: Readonly<Record<string, string>>): void {
  const file = env['GITHUB_OUTPUT'];
  if (file === undefined || file === '') return;
  const blocks = Object.entries(outputs).map(([name, value]) => {
    const delimiter = toDelimiter(value);
    return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
  });
  appendFileSync(file, blocks.join(''));
}

function toDelimiter(value: string): string {
  let delimiter = 'end-of-value';
  for (let count = 1; value.includes(delimiter); count += 1) delimiter = `end-of-value-${count}`;
  return delimiter;
}

/** Appends markdown to the job summary; the caller keeps it below the limit of 1 MiB a step. */
export function appendSummary(env: NodeJS.ProcessEnv, markdown: string): void {
  const file = env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  appendFileSync(file, markdown.endsWith('\n') ? markdown : `${markdown}\n`);
}
