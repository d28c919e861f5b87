import type { ScoringContext } from './context.ts';
import { formatFixed } from './rounding.ts';

/** Short marks for people; later stages read `public PoC` back. */
export function signalsOf({
  proven,
  kev,
  intel,
  hasPoc,
  host,
  facts,
  isSensitive,
  cvss,
  found,
}: ScoringContext): string[] {
  const { epssScore } = intel;
  const signals: string[] = [];
  if (proven) signals.push('proven');
  if (kev) signals.push('KEV');
  if (epssScore !== undefined) signals.push(`EPSS ${formatFixed(epssScore, 2)}`);
  if (hasPoc) signals.push('public PoC');
  if (facts.liveHosts.has(host)) signals.push('live endpoint');
  if (facts.compromisedHosts.has(host)) signals.push('hot host');
  if (isSensitive) signals.push('sensitive asset');
  if (facts.originExposedHosts.has(host)) signals.push('origin exposed');
  if (cvss.version !== '') signals.push(`CVSS v${cvss.version}`);
  if (found.name !== 'unclassified') signals.push(found.name);
  return signals;
}
