import { createHash } from 'node:crypto';
import type { MergedFrom, RawFinding } from '../core/finding.ts';
import { type Identity, type LineOf, toIdentity, toIdentityKey } from './identity.ts';
import type { MergedFinding } from './merge.ts';
import { compareRaw } from './raw-order.ts';

/** A merged finding with its identity over runs. */
export interface IdentifiedFinding extends MergedFinding {
  readonly fingerprint: string;
  /** First 8 hex digits of the fingerprint; more where two findings share them. */
  readonly id: string;
  /** Fingerprints under which one of its tools alone would report it; the own one first. */
  readonly aliases: readonly string[];
  readonly mergedFrom: readonly MergedFrom[];
}

/**
 * Fingerprint = SHA-256, in hex, over the UTF-8 bytes of the JSON array
 * `["cypherfix-finding-1", family, rule, path, text, n]` without white space: family and rule as in identity.ts, the path
 * normalised, the text with runs of white space as one space, and n = how many equal texts of this family and rule stand
 * before it in the file (0 for the first, in line order). No line number: moved lines keep it, a renamed file does not.
 * A reviewer's finding that an open thread knows (`knownAs`) keeps the thread's.
 */
export function fingerprintFindings(findings: readonly MergedFinding[], lineOf?: LineOf): IdentifiedFinding[] {
  const hashes = hashMembers(findings, lineOf);
  const toId = shortIds([...hashes.values()].flat());
  return findings.map(finding => {
    const own = hashes.get(finding) ?? [];
    const fingerprint = own[0] ?? '';
    const mergedFrom = new Map<string, MergedFrom>();
    for (const [index, { tool, ruleId }] of finding.members.entries()) {
      const origin = { tool, ruleId, id: toId(own[index] ?? '') };
      mergedFrom.set(JSON.stringify(origin), origin);
    }
    return {
      ...finding,
      fingerprint,
      id: toId(fingerprint),
      aliases: [...new Set(own)],
      mergedFrom: [...mergedFrom.values()],
    };
  });
}

/** The fingerprint of one identity, as documented above. */
export function toFingerprint({ family, rule, path, text }: Identity, occurrence: number): string {
  const canonical = JSON.stringify(['cypherfix-finding-1', family, rule, path, text, occurrence]);
  return createHash('sha256').update(canonical, 'utf8').digest('hex');
}

/** Fingerprints of every finding's members, in the members' order; members with one identity share one. */
function hashMembers(findings: readonly MergedFinding[], lineOf: LineOf | undefined): Map<MergedFinding, string[]> {
  const sorted = [...findings].sort(byPlace);
  const hashes = new Map(sorted.map(finding => [finding, finding.members.map(() => '')]));
  const owners = new Map<string, MergedFinding>();
  const occurrences = new Map<string, number>();
  const nextFree = (identity: Identity, finding: MergedFinding): string => {
    const key = toIdentityKey(identity);
    for (;;) {
      const occurrence = occurrences.get(key) ?? 0;
      occurrences.set(key, occurrence + 1);
      const hash = toFingerprint(identity, occurrence);
      if ((owners.get(hash) ?? finding) === finding) return hash;
    }
  };
  const hashAll = (takes: (member: RawFinding) => boolean): void => {
    for (const [finding, own] of hashes) {
      const inFinding = new Map<string, string>();
      for (const [index, member] of finding.members.entries()) {
        if (!takes(member)) continue;
        const identity = toIdentity(member, lineOf);
        const key = toIdentityKey(identity);
        const isKnown = member.knownAs !== undefined && owners.get(member.knownAs) === finding;
        const hash = (isKnown ? member.knownAs : inFinding.get(key)) ?? nextFree(identity, finding);
        if (!isKnown) inFinding.set(key, hash);
        owners.set(hash, finding);
        own[index] = hash;
      }
    }
  };
  // What models say changes no fingerprint of a scanner, and what is known already takes no other finding's.
  hashAll(member => member.origin !== 'reviewer');
  for (const finding of sorted) {
    for (const { knownAs } of finding.members) {
      if (knownAs !== undefined && !owners.has(knownAs)) owners.set(knownAs, finding);
    }
  }
  hashAll(member => member.origin === 'reviewer');
  return hashes;
}

// What stands at the head is counted before what history alone holds, so that old commits do not shift it.
const byPlace = ({ primary: a }: MergedFinding, { primary: b }: MergedFinding): number =>
  Number(a.commit !== undefined) - Number(b.commit !== undefined) ||
  a.startLine - b.startLine ||
  (a.startColumn ?? 0) - (b.startColumn ?? 0) ||
  compareRaw(a, b);

const SHORT = 8;

/** Gives each fingerprint the shortest prefix of 8 or more digits that no other one has. */
function shortIds(fingerprints: readonly string[]): (fingerprint: string) => string {
  const sorted = [...new Set(fingerprints)].sort();
  const lengths = new Map<string, number>();
  for (const [index, fingerprint] of sorted.entries()) {
    const near = [sorted[index - 1], sorted[index + 1]].map(other => sharedLength(fingerprint, other ?? ''));
    lengths.set(fingerprint, Math.max(SHORT, ...near.map(shared => shared + 1)));
  }
  return fingerprint => fingerprint.slice(0, lengths.get(fingerprint) ?? SHORT);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
