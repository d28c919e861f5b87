export interface Window {
  readonly from: Date;
  readonly to: Date;
}

export const isInside = ({ from, to }: Window, at: Date): boolean => at >= from && at < to;

/** Why a delivery cannot be made then; null when it can. */
export function whyNot(window: Window | null, at: Date, isHoliday: boolean, isFull: boolean): string | null {
  if (window === null) return 'there is no window';
  if (!isInside(window, at)) return 'it is outside the window';
  if (isHoliday) return 'it is a holiday';
  return isFull ? 'the van is full' : null;
}
