/** Number text: figures as a person reads them. Pure. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Whole numbers as they are, others with as many digits as tell something: `12,345`, `93.4`, `1.27`. */
export function numberText(value: number): string {
  if (Number.isInteger(value) || value >= 100) return whole.format(value);
  return value >= 10 ? oneDigit.format(value) : twoDigits.format(value);
}

/** µs as ms without the unit: `0.21`, `12.3`, `2,660`; null (too few samples) as a dash. */
export function msText(us: number | null): string {
  if (us === null) return '-';
  const ms = us / 1000;
  if (ms >= 100) return whole.format(ms);
  return ms >= 10 ? oneDigit.format(ms) : twoDigits.format(ms);
}

/** µs as ms with the unit: `2,660 ms`. */
export function latencyText(us: number): string {
  return `${msText(us)} ms`;
}

/** A share as per cent: `16.4`. */
export function percentText(share: number): string {
  return oneDigit.format(share * 100);
}

/**
 * Up to which percentile a limit is kept, by the share that keeps to it: `p99.96`; `max`: all do; a dash: no samples.
 * Never rounded up, least of all to 100: some took longer.
 */
export function crossingText(within: number | null): string {
  if (within === null) return '-';
  if (within === 1) return 'max';
  // 0.57 * 10,000 is 5,699.999...
  return `p${(Math.floor(within * 10_000 + 1e-6) / 100).toString()}`;
}

/** A round figure on an axis, with no digits that it does not need: `0.01`, `20`, `1,000`. */
export function tickText(value: number): string {
  return value >= 100 ? whole.format(value) : String(Number(value.toPrecision(3)));
}

/** With so many digits after the point, whatever its size: `1,234.5`. */
export function fixedText(value: number, decimals: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

const twoSignificant = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/** Two digits, all that a ratio of a few runs can bear: `8.6`, `260`. */
export function ratioText(ratio: number): string {
  return twoSignificant.format(ratio);
}

/** `1 round`, `2 rounds`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Text from a file as one line for a terminal: what would steer the terminal stands as `?`. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
