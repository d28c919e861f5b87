import type { Severity } from '../core/finding.ts';

export interface Style {
  readonly width: number;
  readonly color: boolean;
}

const SGR = {
  critical: '1;31',
  high: '31',
  medium: '33',
  low: '34',
  info: '36',
  success: '32',
  bold: '1',
  dim: '2',
  alarm: '1;37;41',
} as const satisfies Record<Severity | 'success' | 'bold' | 'dim' | 'alarm', string>;

/** Text of our own or made safe before, in colour where that is asked for. */
export const paint = (text: string, style: keyof typeof SGR, { color }: Style): string =>
  color && text !== '' ? `\x1b[${SGR[style]}m${text}\x1b[0m` : text;
