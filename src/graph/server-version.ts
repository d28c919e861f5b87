/** The first release that has every part of Cypher that the queries use, and long-term support. */
const OLDEST: readonly [major: number, minor: number] = [5, 26];

export interface ServerVersion {
  /** `5.26.30`, `2026.08.1`; as the server says it where it is none of these. */
  readonly version: string;
  readonly supported: boolean;
}

/**
 * The version in what a server calls itself at the handshake (`Neo4j/5.26.30`, `Neo4j/2026.08.1`, `Neo4j/5.27-aura`).
 * What names no version, or is another product, is not supported.
 */
export function parseServerAgent(agent: string | undefined): ServerVersion {
  const text = agent?.trim() ?? '';
  const match = /^Neo4j\/(\d{1,4})\.(\d{1,4})(?:\.\d{1,6})?(?:[-+.][\w.+-]*)?$/i.exec(text);
  if (match === null) return { version: text.replace(/[^\x20-\x7e]/g, '').slice(0, 60) || 'unknown', supported: false };
  const [major, minor] = [Number(match[1]), Number(match[2])];
  const supported = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return { version: text.slice('Neo4j/'.length), supported };
}
