import type { RawFinding } from '../core/finding.ts';
import type { SecretRegistry } from '../core/secrets.ts';
import { listSecrets } from '../findings/scrub-secrets.ts';

/** Every text of a prompt is searched for each of them; what looks like a secret is masked besides. */
const MAX_FOUND = 200;

/** Registers what gitleaks matched in this run, so that no model and no comparison sees it. */
export function registerFound(secrets: SecretRegistry, raw: readonly RawFinding[]): void {
  for (const text of listSecrets(raw).slice(0, MAX_FOUND)) secrets.add(text);
}
