import { writeFileSync } from 'node:fs';
writeFileSync('@MARKER@', 'eslint.config.js was executed');
export default [{ ignores: ['**/*'] }];
