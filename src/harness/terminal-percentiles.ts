/** Terminal percentiles: response time of all orders by percentile, every stack in one small chart. Pure. */
import { type Histogram, percentileUs, sumHistograms } from './histogram.ts';
import { msText, plainText } from './number-text.ts';
import type { Result } from './result.ts';
import { trialsToShow } from './summary.ts';
import { type Colors, stackColored, stackMark } from './terminal-marks.ts';

/** Decades of 1/(1-p) that the chart is wide: 0, 90, 99 and 99.9 %. */
const decades = 3;
const labelWidth = 8;
const height = 12;
const ticks = [0, 50, 90, 99, 99.9];

interface Curve {
  readonly name: string;
  /** µs by column; shorter than the chart where there are too few samples for the percentiles further right. */
  readonly valuesUs: readonly number[];
}

/** Lines of at most `columns` characters; none where no order was answered. */
export function percentileChart(result: Result, columns: number, colors: Colors): string[] {
  const width = columns - labelWidth - 2;
  const curves = result.stacks
    .filter((stack) => stack.trials.length > 0)
    .map(({ name, trials }): Curve => {
      const all = trialsToShow(trials).map((trial) => trial.histograms.orders.all);
      return { name, valuesUs: columnValues(sumHistograms(all), width) };
    });
  const values = curves.flatMap((curve) => curve.valuesUs);
  if (values.length === 0) return [];

  const highest = Math.log(Math.max(...values));
  // Never less than a factor of two, so that one value is a line and not noise.
  const range = Math.max(highest - Math.log(Math.min(...values)), Math.log(2));
  const rowOf = (us: number) => Math.round(((highest - Math.log(us)) / range) * (height - 1));
  const grid = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  for (const [place, curve] of curves.entries()) {
    const mark = stackColored(place, stackMark(place), colors);
    for (const [column, us] of curve.valuesUs.entries()) {
      const cells = grid[rowOf(us)];
      // Where curves meet, each gets every other column.
      if (cells?.[column] === ' ' || column % curves.length === place) cells?.splice(column, 1, mark);
    }
  }

  const usOf = (row: number) => Math.exp(highest - (row / (height - 1)) * range);
  return [
    'Response time of all orders, ms, by percentile',
    ...grid.map((cells, row) => {
      const label = row % 3 === 0 || row === height - 1 ? msText(usOf(row)) : '';
      return `${label.padStart(labelWidth)} ┤${cells.join('')}`.trimEnd();
    }),
    `${' '.repeat(labelWidth)} └${'─'.repeat(width)}`,
    `${' '.repeat(labelWidth + 2)}${tickLine(width)}`.trimEnd(),
    ...legend(curves, columns, colors),
  ];
}

/** The columns' percentiles, as far as at least one value can lie beyond. */
function columnValues(histogram: Histogram, width: number): number[] {
  const values: number[] = [];
  for (let column = 0; column < width; column++) {
    const beyond = 10 ** ((-decades * column) / (width - 1));
    // A hair of room for what powers of ten lose.
    const us = beyond * histogram.totalCount < 1 - 1e-9 ? null : percentileUs(histogram, 100 * (1 - beyond));
    if (us === null) break;
    values.push(Math.max(us, 1));
  }
  return values;
}

function tickLine(width: number): string {
  let line = '';
  for (const percent of ticks) {
    const text = `${percent} %`;
    const column = Math.round((-Math.log10(1 - percent / 100) / decades) * (width - 1));
    line = line.padEnd(Math.min(column, width - text.length)) + text;
  }
  return line;
}

function legend(curves: readonly Curve[], columns: number, colors: Colors): string[] {
  const lines: { text: string; length: number }[] = [];
  for (const [place, { name }] of curves.entries()) {
    const plain = `${stackMark(place)} ${plainText(name)}`;
    const text = stackColored(place, plain, colors);
    const line = lines.at(-1);
    if (line === undefined || line.length + 3 + plain.length > columns) {
      lines.push({ text: `  ${text}`, length: plain.length + 2 });
    } else {
      line.text += `   ${text}`;
      line.length += 3 + plain.length;
    }
  }
  return lines.map((line) => line.text);
}
