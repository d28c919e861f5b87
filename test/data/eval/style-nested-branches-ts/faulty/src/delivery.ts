export interface Window {
  readonly from: Date;
  readonly to: Date;
}

export const isInside = ({ from, to }: Window, at: Date): boolean => at >= from && at < to;

/** Why a delivery cannot be made then; null when it can. */
export function whyNot(window: Window | null, at: Date, isHoliday: boolean, isFull: boolean): string | null {
  if (window !== null) {
    if (isInside(window, at)) {
      if (!isHoliday) {
        if (!isFull) {
          return null;
        } else {
          return 'the van is full';
        }
      } else {
        return 'it is a holiday';
      }
    } else {
      return 'it is outside the window';
    }
  } else {
    return 'there is no window';
  }
}
