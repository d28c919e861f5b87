/** What makes a finding noise, as data. Noise is placed in the summary and never dropped; secrets are never noise. */

export interface NoisyRule {
  readonly tool: string;
  /** The tool's own id, or its last part (`detect-object-injection` of `security/detect-object-injection`). */
  readonly rule: string;
  readonly why: string;
}

export const NOISY_RULES: readonly NoisyRule[] = [
  { tool: 'eslint', rule: 'detect-object-injection', why: 'it fires on nearly every computed property access' },
  { tool: 'eslint', rule: 'detect-possible-timing-attacks', why: 'it goes by the names of variables' },
  { tool: 'gosec', rule: 'G104', why: 'it reports every error that is not looked at' },
  { tool: 'bandit', rule: 'B101', why: 'an assert is a weakness only where it guards something' },
  { tool: 'ruff', rule: 'S101', why: 'an assert is a weakness only where it guards something' },
  { tool: 'bandit', rule: 'B403', why: 'it reports an import, not a use' },
  { tool: 'ruff', rule: 'S403', why: 'it reports an import, not a use' },
  { tool: 'bandit', rule: 'B404', why: 'it reports an import, not a use' },
  { tool: 'ruff', rule: 'S404', why: 'it reports an import, not a use' },
  { tool: 'bandit', rule: 'B603', why: 'it fires on every process that is started without a shell' },
  { tool: 'ruff', rule: 'S603', why: 'it fires on every process that is started without a shell' },
];

/** Code that nobody of the project writes by hand. */
export const GENERATED_PATHS: readonly string[] = [
  '**/node_modules/**',
  '**/vendor/**',
  '**/third_party/**',
  '**/third-party/**',
  '**/bower_components/**',
  '**/site-packages/**',
  'dist/**',
  'build/**',
  '**/*.min.js',
  '**/*.min.mjs',
  '**/*.min.css',
  '**/*.bundle.js',
  '**/*.map',
  '**/*.lock',
  '**/package-lock.json',
  '**/npm-shrinkwrap.json',
  '**/pnpm-lock.yaml',
  '**/go.sum',
  '**/*.pb.go',
  '**/*_pb2.py',
  '**/*_pb2_grpc.py',
  '**/*.generated.*',
  '**/*_generated.go',
  '**/zz_generated*.go',
];

/** Here a finding of low severity says little; the rest counts in full. */
export const TEST_PATHS: readonly string[] = [
  '**/test/**',
  '**/tests/**',
  '**/testing/**',
  '**/testdata/**',
  '**/__tests__/**',
  '**/__mocks__/**',
  '**/spec/**',
  '**/fixtures/**',
  '**/e2e/**',
  '**/example/**',
  '**/examples/**',
  '**/sample/**',
  '**/samples/**',
  '**/*_test.go',
  '**/*_test.py',
  '**/test_*.py',
  '**/conftest.py',
  '**/*.test.*',
  '**/*.spec.*',
  '**/*Test.java',
];

/** Weaknesses that are secrets in the code, whichever tool reports them. */
export const SECRET_WEAKNESSES: readonly string[] = ['CWE-321', 'CWE-798'];

/** A line this long, in characters, is not written by hand. */
export const MINIFIED_LINE_CHARS = 2_000;
