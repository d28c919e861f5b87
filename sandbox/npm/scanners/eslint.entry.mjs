// The one file that the scanners image holds of ESLint: in gVisor every module file read costs system calls.
export { Linter } from 'eslint/universal';
export { lintFolders } from './eslint.folders.mjs';
export { lint } from './eslint.lint.mjs';
