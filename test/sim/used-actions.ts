import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** What an action that a composite uses left behind. */
export interface UsedAction {
  outputs: Record<string, string>;
  /** Values that it asked the runner to mask. */
  secrets: string[];
  artifact?: { name: string; files: Record<string, Buffer> };
}

/**
 * Stands in for the published actions that a composite calls: `actions/github-script` runs its script for real, with the
 * variables that the runner gives to JavaScript actions; `actions/upload-artifact` collects its files.
 */
export async function runUsedAction(
  uses: string,
  inputs: Record<string, string>,
  variables: Record<string, string>,
): Promise<UsedAction> {
  const [name] = uses.split('@');
  if (name === 'actions/github-script') return runScript(inputs['script'] ?? '', variables);
  if (name === 'actions/upload-artifact') return collectFiles(inputs);
  throw new Error(`no stand-in for ${uses}`);
}

async function runScript(script: string, variables: Record<string, string>): Promise<UsedAction> {
  const used: UsedAction = { outputs: {}, secrets: [] };
  const core = {
    setOutput: (key: string, value: unknown) => {
      used.outputs[key] = String(value);
    },
    setSecret: (value: string) => used.secrets.push(value),
    info: () => undefined,
  };
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (core: unknown, process: unknown) => Promise<void>;
  await new AsyncFunction('core', 'process', script)(core, { env: variables });
  return used;
}

/** Files that do not exist are left out, as with `if-no-files-found: warn`; none at all is no artefact. */
function collectFiles(inputs: Record<string, string>): UsedAction {
  const paths = (inputs['path'] ?? '')
    .split('\n')
    .map(path => path.trim())
    .filter(path => path !== '' && statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  const files = Object.fromEntries(paths.map(path => [basename(path), readFileSync(path)]));
  const used: UsedAction = { outputs: {}, secrets: [] };
  return paths.length === 0 ? used : { ...used, artifact: { name: inputs['name'] ?? 'artifact', files } };
}
