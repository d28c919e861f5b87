import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CypherFixError, toMessage } from '../../src/core/errors.ts';
import { Exchange } from '../../src/model/record.ts';
import { saveFile } from '../../src/runner/save-file.ts';
import { VARIANTS } from './cases.ts';

/** The exchanges of an evaluation, so that it can be counted again without a model. */
export const RecordedReviews = z.strictObject({
  version: z.literal(1),
  /** Which models, and whose server. */
  answeredBy: z.string(),
  reviews: z.array(
    z.strictObject({
      case: z.string(),
      variant: z.enum(VARIANTS),
      exchanges: z.array(Exchange),
      ms: z.record(z.string(), z.number().nonnegative()),
    }),
  ),
});
export type RecordedReviews = z.infer<typeof RecordedReviews>;

/** Throws CypherFixError('usage') that names the file and what is wrong with it. */
export function readRecordedReviews(path: string): RecordedReviews {
  try {
    return RecordedReviews.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new CypherFixError('usage', `eval: --replay ${path}: ${toMessage(error)}`);
  }
}

export function writeRecordedReviews(path: string, recorded: RecordedReviews): void {
  try {
    saveFile(path, `${JSON.stringify(recorded, null, 1)}\n`);
  } catch (error) {
    throw new CypherFixError('usage', `eval: --record ${path} cannot be written: ${toMessage(error)}`);
  }
}
