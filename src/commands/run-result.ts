import { existsSync } from 'node:fs';
import { toMessage } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import type { GateWord } from '../findings/gate.ts';
import { renderCommandAnnotations } from '../publish/command-annotations.ts';
import type { Published } from '../publish/outputs.ts';
import type { Publication } from '../publish/publish-report.ts';
import type { PublishTarget } from '../publish/target.ts';
import { renderWholeSummary } from '../render/tree-summary.ts';
import type { RunFolder } from '../runner/folder.ts';

/** What the step that publishes has to tell. */
export interface RunResult {
  /** Null where nothing was analysed, or where the analysis has no usable result. */
  readonly report: Report | null;
  /** The gate of a run without a report. */
  readonly gate: GateWord;
  readonly published: Published;
  /** Markdown. */
  readonly summary: string;
  readonly notes: readonly string[];
  /** Workflow commands. */
  readonly annotations: readonly string[];
  /** What ended the publication before its end; the summary holds all findings even then. */
  readonly broken?: unknown;
}

/** Whatever happens while it is published, the report gets into the summary. */
export async function publishSafely(
  report: Report,
  target: PublishTarget,
  folder: RunFolder,
  write: () => Promise<Publication>,
): Promise<RunResult> {
  try {
    return toResult(report, target, folder, await write());
  } catch (error) {
    const notes = [`Publishing broke off: ${toMessage(error)}.`];
    return { ...toResult(report, target, folder, { check: null, review: null, notes }), broken: error };
  }
}

function toResult(report: Report, target: PublishTarget, folder: RunFolder, publication: Publication): RunResult {
  return {
    report,
    gate: 'empty',
    published: toPublished(publication, folder),
    summary: renderWholeSummary(report, {
      told: publication.told ?? '',
      notes: publication.notes,
      reviewUrl: publication.review?.url,
      checkUrl: publication.check?.url,
      serverUrl: target.serverUrl,
    }),
    notes: publication.notes,
    // The check run carries annotations of its own.
    annotations: publication.check === null ? renderCommandAnnotations(report.findings) : [],
  };
}

export const withoutToken = (remarks: readonly string[]): Publication => ({
  check: null,
  review: null,
  notes: [...remarks, 'There is no GitHub token, so nothing was written to GitHub.'],
});

export const NOTHING_WRITTEN: Published = { reviewUrl: '', checkUrl: '', reportFile: '', sarifFile: '' };

export const toPublished = (publication: Publication, folder: RunFolder | null): Published => ({
  reviewUrl: publication.review?.url ?? '',
  checkUrl: publication.check?.url ?? '',
  reportFile: folder !== null && existsSync(folder.report) ? folder.report : '',
  sarifFile: folder !== null && existsSync(folder.sarif) ? folder.sarif : '',
});
