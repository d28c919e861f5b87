import type { Report } from '../core/report.ts';

type LedgerFile = Report['ledger']['files'][number];

/** True for a file that no scanner examined, with the reason; one that some were kept from was examined in part. */
export const isSkipped = (file: LedgerFile): boolean => file.skipped !== undefined && file.examinedBy.length === 0;

/** Why a file was examined in part only: what tools could not read, and what some were not given. */
export function toPartialReasons(file: LedgerFile): string[] {
  const reasons = (file.partial ?? []).map(({ tool, reason }) => `${tool}: ${reason}`);
  return file.skipped === undefined || isSkipped(file) ? reasons : [...reasons, file.skipped];
}
