import { z } from 'zod';
import { ResultList, type TestReport, type TestStatus } from './test-result.ts';

/** `go test -json`; null when the text is none. */
export function parseGoJson(lines: readonly string[]): TestReport | null {
  const tests = new GoTests();
  let count = 0;
  for (const line of lines) {
    const event = toEvent(line);
    if (event === null) continue;
    count++;
    const { Action, Test, Package = '' } = event;
    if (Action === 'build-fail' || (Action === 'fail' && Test === undefined && event.FailedBuild !== undefined)) {
      tests.fault = `the package ${Package.slice(0, 200)} does not build`;
    }
    if (Test === undefined) continue;
    if (Action === 'run') tests.start(Package, Test);
    else if (Action === 'pass' || Action === 'fail' || Action === 'skip') tests.end(Package, Test, Action);
  }
  return count === 0 ? null : tests.finish();
}

/** `go test -v`; null when the text is none. */
export function parseGoVerbose(lines: readonly string[]): TestReport | null {
  const tests = new GoTests();
  let count = 0;
  for (const line of lines) {
    const started = /^=== RUN\s+(\S+)/.exec(line)?.[1];
    const [, word, name] = /^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)/.exec(line) ?? [];
    if (started !== undefined) tests.start('', started);
    else if (word !== undefined && name !== undefined) tests.end('', name, word.toLowerCase() as 'pass');
    else if (/^(?:ok|FAIL|---)\s+\S+\s/.test(line)) tests.closePackage();
    if (/^FAIL\s+\S+ \[(?:build|setup) failed\]/.test(line)) tests.fault = 'a package does not build';
    if (started !== undefined || word !== undefined) count++;
  }
  return count === 0 && tests.fault === null ? null : tests.finish();
}

const Event = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
  FailedBuild: z.string().optional(),
});

function toEvent(line: string): z.infer<typeof Event> | null {
  if (!line.startsWith('{') || !line.includes('"Action"')) return null;
  try {
    return Event.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // A line of the program under test that merely looks like an event.
    return null;
  }
}

const STATUS_OF_WORD = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const satisfies Record<
  string,
  TestStatus
>;

/** Tests that began and have not ended are those that a panic took along. */
class GoTests {
  fault: string | null = null;
  readonly #list = new ResultList();
  readonly #open = new Map<string, { pack: string; name: string }>();

  start(pack: string, name: string): void {
    this.#open.set(`${pack}\0${name}`, { pack, name });
  }

  end(pack: string, name: string, word: keyof typeof STATUS_OF_WORD): void {
    this.#open.delete(`${pack}\0${name}`);
    this.#list.add([pack], name, STATUS_OF_WORD[word]);
  }

  closePackage(): void {
    for (const { pack, name } of this.#open.values()) this.#list.add([pack], name, 'error');
    this.#open.clear();
  }

  finish(): TestReport {
    this.closePackage();
    return this.#list.finish(this.fault);
  }
}
