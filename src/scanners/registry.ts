import { createAstGrep } from './ast-grep.ts';
import { bandit } from './bandit.ts';
import { eslint } from './eslint.ts';
import { gitleaks } from './gitleaks.ts';
import type { GoLayout } from './go-layout.ts';
import { createGosec } from './gosec.ts';
import { ruff } from './ruff.ts';
import type { RulePack } from './rule-pack.ts';
import type { Scanner } from './scanner.ts';

/** Every scanner, the one that takes longest first, since they start in this order. */
export const listScanners = (rulePack: RulePack, go: GoLayout | undefined): readonly Scanner[] => [
  eslint,
  bandit,
  createGosec(go),
  gitleaks,
  createAstGrep(rulePack),
  ruff,
];
