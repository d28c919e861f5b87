export interface Window {
  readonly from: Date;
  readonly to: Date;
}

export const isInside = ({ from, to }: Window, at: Date): boolean => at >= from && at < to;
