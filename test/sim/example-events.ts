import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface ExampleEvent {
  name: string;
  /** Undefined for events without actions, such as `push`. */
  action: string | undefined;
  payload: Record<string, unknown>;
}

let examples: ExampleEvent[] | undefined;

/** GitHub's own published example payloads, of one event or of all. */
export function listExampleEvents(name?: string): ExampleEvent[] {
  examples ??= readExamples();
  return examples.filter(example => name === undefined || example.name === name);
}

function readExamples(): ExampleEvent[] {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json');
  const events = JSON.parse(readFileSync(file, 'utf8')) as { name: string; examples: Record<string, unknown>[] }[];
  return events.flatMap(event =>
    event.examples.map(payload => ({
      name: event.name,
      action: typeof payload['action'] === 'string' ? payload['action'] : undefined,
      payload,
    })),
  );
}
