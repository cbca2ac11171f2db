/** Timeline SVG: orders per second and the service's memory over time, a row per stack, with each death. Pure. */
import { scaleLinear } from 'd3-scale';
import { area, line as linePath } from 'd3-shape';
import { isDeath } from '../life-story.ts';
import { numberText } from '../number-text.ts';
import { stepMs } from '../recorder-steps.ts';
import type { TimelineRow, Trial } from '../result.ts';
import { mebibyte } from '../units.ts';
import { caveats, type PlotLine } from './plot-line.ts';
import { round, shortened, svgDocument, svgLine, svgText } from './svg.ts';

const width = 900;
const top = 84;
const layout = { height: 132, plotTop: 26, plotHeight: 80 };
const ordersPanel = { left: 60, right: 450 };
const memoryPanel = { left: 520, right: 880 };
/** Among the colours of stacks: confirmed, failed, memory. */
const colours = { confirmed: 3, failed: 2, memory: 1 };

/** Warm-up and window of the first trial that counts of each line; others of its trials are not drawn. */
export function timelineSvg(lines: readonly PlotLine[]): string {
  const shown = lines.flatMap((line) => line.trials.slice(0, 1).map((trial) => ({ line, trial })));
  const rows = shown.flatMap(({ trial }) => rowsOf(trial));
  const scales = {
    startMs: Math.min(0, ...rows.map(({ atMs }) => atMs)),
    endMs: Math.max(1000, ...rows.map(({ atMs }) => atMs + stepMs)),
    perS: Math.max(1, ...rows.map(({ confirmed, failed }) => Math.max(confirmed, failed) * perSecond)),
    mb: Math.max(1, ...rows.map(({ rssBytes }) => (rssBytes ?? 0) / mebibyte)),
  };
  return svgDocument({
    width,
    height: top + shown.length * layout.height + 24,
    title: 'Orders and memory over time',
    description: shown
      .map(
        ({ line, trial }) =>
          `${nameOf(line)}: ${deathsText(trial)} in ${numberText(trial.windowMs / 1000)} s.`,
      )
      .join(' '),
    body: [
      svgText(20, 30, 'Orders and memory over time', { className: 'heading' }),
      svgText(
        20,
        50,
        'the first trial of each stack that counts; time in s from the start of the measured window',
        {
          className: 'soft',
        },
      ),
      ...legend(),
      ...shown.flatMap(({ line, trial }, index) =>
        timelineRow(line, trial, top + index * layout.height, scales),
      ),
    ],
  });
}

/** What came after the window, while the last answers were waited for, belongs to no rate. */
function rowsOf(trial: Trial): TimelineRow[] {
  return trial.timeline.filter(({ atMs }) => atMs < trial.windowMs);
}

const perSecond = 1000 / stepMs;

interface Scales {
  readonly startMs: number;
  readonly endMs: number;
  readonly perS: number;
  readonly mb: number;
}

function legend(): string[] {
  const y = 72;
  return [
    `<line class="curve c${colours.confirmed}" x1="60" x2="84" y1="${y - 4}" y2="${y - 4}"/>`,
    svgText(90, y, 'confirmed per s'),
    `<line class="curve c${colours.failed}" stroke-dasharray="8 3" x1="196" x2="220" y1="${y - 4}" y2="${y - 4}"/>`,
    svgText(226, y, 'failed per s'),
    `<line class="curve c${colours.memory}" x1="520" x2="544" y1="${y - 4}" y2="${y - 4}"/>`,
    svgText(550, y, 'resident memory, MB'),
    cross(696, y - 4),
    svgText(706, y, 'death'),
    `<rect class="down" x="760" y="${y - 10}" width="18" height="12"/>`,
    svgText(784, y, 'service down'),
  ];
}

function timelineRow(line: PlotLine, trial: Trial, rowTop: number, scales: Scales): string[] {
  const high = rowTop + layout.plotTop;
  const low = high + layout.plotHeight;
  const heading = svgText(20, rowTop + 14, `${shortened(nameOf(line), 60)}: ${deathsText(trial)}`, {
    className: 'strong',
  });
  const rows = rowsOf(trial);
  if (rows.length === 0) {
    return [heading, svgText(ordersPanel.left, high + 20, 'no samples', { className: 'soft' })];
  }
  const xOf = (panel: typeof ordersPanel) =>
    scaleLinear([scales.startMs, scales.endMs], [panel.left, panel.right]);
  const panels = [
    { panel: ordersPanel, y: scaleLinear([0, scales.perS], [low, high]).nice(3), unit: '/s' },
    { panel: memoryPanel, y: scaleLinear([0, scales.mb], [low, high]).nice(3), unit: 'MB' },
  ];
  const [ordersY, memoryY] = panels.map(({ y }) => y) as [(typeof panels)[0]['y'], (typeof panels)[0]['y']];
  const ordersX = xOf(ordersPanel);
  const memoryX = xOf(memoryPanel);
  const series = (of: (row: TimelineRow) => number) =>
    linePath<TimelineRow>()
      .x(({ atMs }) => round(ordersX(atMs + stepMs / 2)))
      .y((one) => round(ordersY(of(one) * perSecond)))(rows) ?? '';
  const memory = {
    defined: ({ rssBytes }: TimelineRow) => rssBytes !== null,
    x: ({ atMs }: TimelineRow) => round(memoryX(atMs + stepMs / 2)),
    y: ({ rssBytes }: TimelineRow) => round(memoryY((rssBytes ?? 0) / mebibyte)),
  };
  const deaths = (trial.target?.exits ?? []).filter(
    (exit) => isDeath(exit.reason) && exit.atMs >= scales.startMs && exit.atMs < trial.windowMs,
  );
  return [
    heading,
    ...panels.flatMap(({ panel, y, unit }) => [
      ...y.ticks(3).flatMap((value) => [
        svgLine(panel.left, y(value), panel.right, y(value), 'grid'),
        svgText(panel.left - 6, y(value) + 4, `${numberText(value)} ${unit}`, {
          anchor: 'end',
          className: 'soft number',
        }),
      ]),
      ...xOf(panel)
        .ticks(6)
        .map((ms) =>
          svgText(xOf(panel)(ms), low + 16, `${ms / 1000} s`, { anchor: 'middle', className: 'soft number' }),
        ),
      svgLine(panel.left, low, panel.right, low, 'axis'),
    ]),
    ...downtimes(trial, scales).map(({ fromMs, toMs }) => {
      const x = memoryX(fromMs);
      return `<rect class="down" x="${round(x)}" y="${high}" width="${round(memoryX(toMs) - x)}" height="${layout.plotHeight}"/>`;
    }),
    `<path class="area c${colours.memory}" d="${
      area<TimelineRow>().defined(memory.defined).x(memory.x).y0(low).y1(memory.y)(rows) ?? ''
    }"/>`,
    `<path class="curve c${colours.memory}" d="${
      linePath<TimelineRow>().defined(memory.defined).x(memory.x).y(memory.y)(rows) ?? ''
    }"/>`,
    `<path class="curve c${colours.failed}" stroke-dasharray="8 3" d="${series(({ failed }) => failed)}"/>`,
    `<path class="curve c${colours.confirmed}" d="${series(({ confirmed }) => confirmed)}"/>`,
    ...deaths.map(({ atMs, rssBytes }) => cross(memoryX(atMs), memoryY((rssBytes ?? 0) / mebibyte))),
  ];
}

/** From each death to the next start that served, within what is shown. */
function downtimes(trial: Trial, { startMs, endMs }: Scales): { fromMs: number; toMs: number }[] {
  const { exits, starts } = trial.target ?? { exits: [], starts: [] };
  return exits
    .filter(({ reason }) => isDeath(reason))
    .map(({ atMs }) => ({
      fromMs: Math.max(startMs, atMs),
      toMs: Math.min(endMs, starts.find((start) => start.atMs > atMs)?.atMs ?? endMs),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

function nameOf(line: PlotLine): string {
  return [line.label, ...caveats(line).filter((note) => note !== 'no samples')].join(', ');
}

function deathsText({ target }: Trial): string {
  if (target === null) return 'deaths not measured';
  const { deaths } = target;
  return deaths === 0 ? 'no death' : `${numberText(deaths)} ${deaths === 1 ? 'death' : 'deaths'}`;
}

function cross(x: number, y: number): string {
  const [left, right, high, low] = [x - 4, x + 4, y - 4, y + 4].map(round);
  return `<path class="death" d="M${left} ${high}L${right} ${low}M${left} ${low}L${right} ${high}"/>`;
}
