import { CYPHER_FILES } from './cypher-files.ts';

/** The text of `cypher/NAME.cypher`; an unknown name is a fault of this program. */
export function loadQuery(name: string): string {
  const text = Object.hasOwn(CYPHER_FILES, name) ? CYPHER_FILES[name] : undefined;
  if (text === undefined) throw new Error(`there is no query '${name}'`);
  return text;
}
