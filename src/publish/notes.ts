import { CypherFixError, toMessage } from '../core/errors.ts';

/** What a run could not write, in sentences for the job summary. */
export interface Notes {
  add(...sentences: string[]): void;
  /** Runs a write; when it is refused or fails, notes why and gives null. An interruption is passed on. */
  attempt<T>(what: string, write: () => Promise<T>): Promise<T | null>;
  all(): readonly string[];
}

export function createNotes(first: readonly string[] = []): Notes {
  const notes: string[] = [];
  const add = (...sentences: string[]) => {
    notes.push(...sentences.map(sentence => (sentence.endsWith('.') ? sentence : `${sentence}.`)));
  };
  add(...first);
  return {
    add,
    attempt: async (what, write) => {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof CypherFixError) || error.code === 'interrupted') throw error;
        add(`${what}: ${toMessage(error)}`);
        return null;
      }
    },
    all: () => [...notes],
  };
}
