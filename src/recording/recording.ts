import { z } from 'zod';
import { CypherFixError, toMessage } from '../core/errors.ts';
import { OpenAiFinding } from '../core/open-finding.ts';
import { Report } from '../core/report.ts';
import { Exchange } from '../model/record.ts';
import { RecordedGraph } from './recorded-graph.ts';
import { RecordedRun } from './sandbox-run.ts';

const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'expected a full commit id');
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');
/** Milliseconds since the epoch, to the end of the year 9999. */
const time = z.int().min(0).max(253_402_300_799_999);

export const RECORDING_VERSION = 1;

/** All that a run took from outside its repository: enough to run it again without sandbox, network and clock. */
export const Recording = z.strictObject({
  version: z.literal(RECORDING_VERSION),
  tool: z.strictObject({ name: z.string(), version: z.string() }),
  /** Null where there is no such commit: a work tree, a whole tree, a plain folder. */
  shas: z.strictObject({ base: sha.nullable(), mergeBase: sha.nullable(), head: sha.nullable() }),
  /** Over path, status and blobs of every file of the change. */
  changeHash: hash,
  policy: z.strictObject({ file: z.string(), sha256: hash }),
  subject: Report.shape.subject,
  request: Report.shape.request,
  public: z.boolean(),
  /** What the reviewers were told of the pull request; null where nobody asked for a review. */
  ai: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('none'), reason: z.string() }),
      z.strictObject({ kind: z.literal('review'), title: z.string().nullable(), body: z.string().nullable() }),
    ])
    .nullable(),
  /** What the change is to settle. */
  linked: z.strictObject({
    issues: z.array(
      z.strictObject({
        number: z.int().nonnegative(),
        title: z.string(),
        body: z.string(),
        state: z.enum(['open', 'closed']),
      }),
    ),
    notices: z.array(z.string()),
    whyNot: z.string().nullable(),
  }),
  /** What earlier runs of the pull request left. */
  earlier: z.strictObject({
    openFindings: z.array(OpenAiFinding),
    unread: z.string().nullable(),
    spentUsd: z.number().nonnegative(),
  }),
  /** What the attack-surface graph made of the ranking; of a public repository nothing but tiers and scores. */
  graph: RecordedGraph,
  /** Random texts of the run are derived from it. */
  seed: z.string().regex(/^[0-9a-f]{32,128}$/, 'expected 32 to 128 hex digits'),
  /** Every time that somebody was told, by who asked. */
  clock: z.record(z.string(), z.array(time).min(1)),
  timings: z.record(z.string(), z.number().nonnegative()),
  exchanges: z.array(Exchange),
  sandbox: z.array(RecordedRun),
});
export type Recording = z.infer<typeof Recording>;

const MAX_FAULTS = 3;

/**
 * A recording from the bytes of a file. Throws CypherFixError('usage') that names the file and what is wrong: no JSON (cut
 * off), another version, or the key path of what does not fit.
 */
export function parseRecording(bytes: Uint8Array, name: string): Recording {
  const value = parseJson(bytes, name);
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (version !== undefined && version !== RECORDING_VERSION) {
    const shown = JSON.stringify(version).slice(0, 40);
    throw refuse(name, `its version ${shown} is unknown; this program reads version ${RECORDING_VERSION}`);
  }
  const parsed = Recording.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : '';
  throw refuse(name, `it is no recording: ${faults.slice(0, MAX_FAULTS).join('; ')}${more}`);
}

function parseJson(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw refuse(name, `it is no whole JSON text: ${toMessage(error)}`);
  }
}

const refuse = (name: string, reason: string) => new CypherFixError('usage', `--replay ${name}: ${reason}`);
