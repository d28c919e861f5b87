import { readdirSync, readFileSync } from 'node:fs';

/** Name → text of every query in `cypher/`. The build puts the texts themselves in this module's place. */
export const CYPHER_FILES: Readonly<Record<string, string>> = readFolder(new URL('./cypher/', import.meta.url));

function readFolder(folder: URL): Record<string, string> {
  const names = readdirSync(folder).filter(name => name.endsWith('.cypher'));
  return Object.fromEntries(
    names.sort().map(name => [name.slice(0, -'.cypher'.length), readFileSync(new URL(name, folder), 'utf8')]),
  );
}
