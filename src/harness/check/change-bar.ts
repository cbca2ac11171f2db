/**
 * Change bar: the interval of a change against zero and the smallest effect that matters, in a line of characters. Pure.
 *
 * Worse is to the right, whichever direction of the figure that is.
 */
import type { MetricRecord } from './check-record.ts';
import { effectAsHarm } from './evidence.ts';

/** Cells to each side of zero; half of them reach the smallest effect. */
const half = 6;

/** In characters. */
export const barWidth = 2 * half + 1;

/** Stands above the bars. */
export const barHeading = 'better  worse';

/**
 * `   ┊  │  ┊━●━`: zero `│`, the smallest effect `┊` to both sides, the change `●` and its interval `━`. What lies
 * beyond the bar ends in an arrow. Without a change or an effect there is no bar.
 */
export function changeBar({ change, scale, better, smallestEffect }: MetricRecord): string {
  if (change === null) return '';
  const smallest = effectAsHarm(smallestEffect, scale);
  if (smallest <= 0) return '';
  const cellOf = (value: number) => {
    const more = scale === 'ratio' ? Math.log(Math.max(value, Number.MIN_VALUE)) : value;
    return Math.round(((better === 'lower' ? more : -more) / smallest) * (half / 2)) + half;
  };
  const cells = Array.from({ length: barWidth }, () => ' ');
  cells[half / 2] = '┊';
  cells[half] = '│';
  cells[half + half / 2] = '┊';
  const last = barWidth - 1;
  const { value, low, high } = change;
  if (low !== null && high !== null) {
    const ends = [cellOf(low), cellOf(high)].sort((one, other) => one - other) as [number, number];
    const [from, to] = [Math.max(0, ends[0]), Math.min(last, ends[1])];
    for (let cell = from; cell <= to; cell++) cells[cell] = '━';
    if (ends[0] < 0) cells[0] = '◀';
    if (ends[1] > last) cells[last] = '▶';
  }
  const cell = cellOf(value);
  if (cell < 0) cells[0] = '◀';
  else if (cell > last) cells[last] = '▶';
  else cells[cell] = '●';
  return cells.join('');
}
