/** Terminal memory: the payment service's memory over one trial of each stack, a line each, its deaths marked. Pure. */
import { isDeath } from './life-story.ts';
import { numberText, plainText } from './number-text.ts';
import { stepMs } from './recorder-steps.ts';
import type { Result, Trial } from './result.ts';
import { trialsToShow } from './summary.ts';
import { type Colors, stackColored, stackMark } from './terminal-marks.ts';
import { sizeText } from './units.ts';

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const nameWidthMax = 24;

/** Lines of at most `columns` characters; none where no memory was seen. */
export function memoryLines(result: Result, columns: number, colors: Colors): string[] {
  const shown = result.stacks.flatMap(({ name, trials }) => {
    const [trial] = trialsToShow(trials);
    return trial === undefined ? [] : [{ name: plainText(name), trial }];
  });
  const highest = Math.max(
    0,
    ...shown.flatMap(({ trial }) => trial.timeline.map((row) => row.rssBytes ?? 0)),
  );
  if (highest === 0) return [];

  const nameWidth = Math.min(nameWidthMax, Math.max(...shown.map(({ name }) => name.length)));
  const width = columns - nameWidth - 5;
  const windowS = Math.max(...shown.map(({ trial }) => trial.windowMs)) / 1000;
  return [
    `Memory of the service in one trial each, up to ${sizeText(highest)}, ${numberText(windowS)} s`,
    ...shown.map(({ name, trial }, place) => {
      const label = `${stackMark(place)} ${name.slice(0, nameWidth).padEnd(nameWidth)}`;
      const line = sparkline(trial, { width, highest, windowMs: windowS * 1000 }, colors);
      return `  ${stackColored(place, label, colors)} ${line}`.trimEnd();
    }),
    `  ${colors.red('✗')} death of the service   (blank: down, or not seen)`,
  ];
}

function sparkline(
  { timeline, target }: Trial,
  { width, highest, windowMs }: { width: number; highest: number; windowMs: number },
  colors: Colors,
): string {
  const columnOf = (atMs: number) => Math.floor((atMs / windowMs) * width);
  const cells = Array.from({ length: width }, () => ' ');
  for (const { atMs, rssBytes } of timeline) {
    const from = columnOf(atMs);
    if (atMs < 0 || from >= width) continue;
    const cell = rssBytes === null || rssBytes === 0 ? ' ' : barOf(rssBytes / highest);
    cells.fill(cell, from, Math.max(columnOf(atMs + stepMs), from + 1));
  }
  for (const { atMs, reason } of target?.exits ?? []) {
    const column = columnOf(atMs);
    if (isDeath(reason) && column >= 0 && column < width) cells[column] = colors.red('✗');
  }
  return cells.join('');
}

function barOf(share: number): string {
  return bars[Math.min(Math.floor(share * bars.length), bars.length - 1)] ?? ' ';
}
