// The one file that the scanners image holds of ESLint: in gVisor every module file read costs system calls.
import method from 'eslint-plugin-no-unsanitized/lib/rules/method.js';
import property from 'eslint-plugin-no-unsanitized/lib/rules/property.js';

export * as typescriptParser from '@typescript-eslint/parser';
export { Linter } from 'eslint/universal';
export { default as pluginSecurity } from 'eslint-plugin-security';
export * as espree from 'espree';
// The plugin's own entry reads its package.json at run time, which a bundle does not have beside it.
export const pluginNoUnsanitized = { meta: { name: 'eslint-plugin-no-unsanitized' }, rules: { method, property } };
