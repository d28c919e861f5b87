/**
 * The stored figures of the model are rounded as Python rounds: the exact binary value, ties to the even digit.
 * `Math.round` and `toFixed` send ties up (32.03125 becomes 32.0313), which would part stored scores from ours.
 */

const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

/** Below this distance from a tie, the product with a power of ten is not exact enough to decide. */
const TIE_MARGIN = 1e-5;

/** Above this, the product would lose digits before the comma. */
const FAST_LIMIT = 2 ** 31;

/** `value` to `digits` decimals (0 to 9), ties to even; infinities and NaN come back as they are. */
export function roundTo(value: number, digits: number): number {
  const power = POWERS[digits] as number;
  const scaled = value * power;
  if (scaled < FAST_LIMIT && scaled > -FAST_LIMIT) {
    const floor = Math.floor(scaled);
    const rest = scaled - floor;
    if (rest < 0.5 - TIE_MARGIN) return floor / power;
    if (rest > 0.5 + TIE_MARGIN) return (floor + 1) / power;
  }
  return Number.isFinite(value) ? Number(exactDigits(value, digits)) : value;
}

/** `value` with exactly `digits` decimals, as Python's `f"{value:.{digits}f}"` writes it. */
export function formatFixed(value: number, digits: number): string {
  if (digits <= 2 && value >= 0 && value <= 100) {
    const scaled = value * (POWERS[digits] as number);
    const floor = Math.floor(scaled);
    const rest = scaled - floor;
    if (rest < 0.5 - TIE_MARGIN) return formatScaled(floor, digits);
    if (rest > 0.5 + TIE_MARGIN) return formatScaled(floor + 1, digits);
  }
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return exactDigits(value, digits);
}

/** `value` as a percentage without decimals: 0.125 is `12%`, as in Python's `f"{value:.0%}"`. */
export const formatPercent = (value: number): string => `${formatFixed(value * 100, 0)}%`;

/** Texts of whole numbers of tenths or hundredths, made once each: formatting is most of what an explanation costs. */
const scaledTexts: string[][] = [[], [], []];

function formatScaled(scaled: number, digits: number): string {
  const texts = scaledTexts[digits] as string[];
  let text = texts[scaled];
  if (text === undefined) {
    text = (scaled / (POWERS[digits] as number)).toFixed(digits);
    texts[scaled] = text;
  }
  return text;
}

/** `toFixed` works on the exact value; only its ties need the correction. */
function exactDigits(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (digits > 0 ? `.${'0'.repeat(digits)}` : '');
  const rounded = value.toFixed(digits);
  const long = value.toFixed(digits + 60);
  const end = long.length - 60;
  const isTie = long[end] === '5' && /^50*$/.test(long.slice(end));
  if (!isTie || Number(rounded.at(-1)) % 2 === 0) return rounded;
  // Of the two neighbours the other one ends in an even digit, and cutting gives that one.
  const cut = long.slice(0, end);
  return cut.endsWith('.') ? cut.slice(0, -1) : cut;
}
