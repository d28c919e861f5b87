import { SILENT_LOG } from '../../src/core/log.ts';
import { createSandbox } from '../../src/sandbox/create-sandbox.ts';

// A program of its own: runs one long job until somebody kills it.
const sandbox = await createSandbox({
  home: process.env['CYPHERFIX_HOME'] ?? '/var/lib/cypherfix',
  actionPath: new URL('../..', import.meta.url).pathname,
  runLabel: process.argv[2] ?? 'crash',
  allowInsecure: false,
  onActions: false,
  log: SILENT_LOG,
  signal: new AbortController().signal,
});
await sandbox.run(
  {
    purpose: 'crash',
    imageClass: 'scanners',
    snapshot: [],
    phases: [
      [
        {
          name: 'sleep',
          argv: ['/bin/sleep', '1000'],
          cwd: '/work',
          env: {},
          timeoutMs: 900_000,
          maxStdoutBytes: 1,
          maxStderrBytes: 1,
        },
      ],
    ],
    limits: { memoryMb: 256, cpus: 1, timeoutMs: 900_000, maxOutputBytes: 1000 },
  },
  new AbortController().signal,
);
