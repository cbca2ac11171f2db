/** Percentile SVG: response times of overlaid stacks by percentile, with a table of what they say. Pure. */
import { scaleLog } from 'd3-scale';
import { curveLinear, line as linePath } from 'd3-shape';
import { summarise } from '../histogram.ts';
import { crossingText, msText, numberText, percentText } from '../number-text.ts';
import { requestClassTitle } from '../request-class.ts';
import type { Distribution } from '../result.ts';
import { stackStyle } from '../stack-style.ts';
import { logTicks, percentileTicks } from './percentile-axes.ts';
import { type PercentilePoint, percentileSeries, shareWithin } from './percentile-series.ts';
import { caveats, type PlotLine } from './plot-line.ts';
import { round, shortened, svgDocument, svgLine, svgText } from './svg.ts';

const width = 900;
const plot = { left: 64, top: 70, height: 330 };
const rowHeight = 20;
/** Rough width of a letter of the 12 px text: enough to keep room for it. */
const letterWidth = 7;
const labelLengthMax = 34;
const nameLengthMax = 42;
/** With more lines than this their names no longer fit beside the plot; the table names them. */
const labelledMax = 18;

interface Curve {
  readonly line: PlotLine;
  readonly points: readonly PercentilePoint[];
  readonly summary: Distribution;
  /** The share of requests within the limit; null without a limit or samples. */
  readonly within: number | null;
  /** An index into `stackColours`. */
  readonly colour: number;
  /** As `stroke-dasharray` takes them. */
  readonly dashes: string;
}

/**
 * The chart of lines that all belong to one class.
 *
 * @param slaUs The limit that the SLA line marks, in µs; null for none.
 */
export function percentileSvg(lines: readonly PlotLine[], slaUs: number | null): string {
  const curves = lines.map((line, index): Curve => {
    const { colour, dash } = stackStyle(index);
    return {
      line,
      points: percentileSeries(line.histogram),
      summary: summarise(line.histogram),
      within: slaUs === null ? null : shareWithin(line.histogram, slaUs),
      colour,
      dashes: dash.join(' ') || 'none',
    };
  });
  const drawn = curves.filter(({ points }) => points.length > 0);
  const labelled = drawn.length <= labelledMax;
  const gutter = labelled
    ? 24 + letterWidth * Math.max(0, ...drawn.map(({ line }) => shortened(line.label, labelLengthMax).length))
    : 24;
  const right = width - gutter;
  const bottom = plot.top + plot.height;
  const table = tableOf(curves, slaUs, bottom + 72);
  const what = requestClassTitle(lines[0]?.requestClass ?? 'orders');
  return svgDocument({
    width,
    height: table.bottom + 14,
    title: `${what} response time by percentile`,
    description: descriptionOf(curves, slaUs),
    body: [
      svgText(20, 30, `${what} response time by percentile`, { className: 'heading' }),
      svgText(20, 50, 'ms, from the intended send to the end of the answer, whatever the answer was', {
        className: 'soft',
      }),
      ...(drawn.length === 0
        ? [
            svgText(width / 2, plot.top + plot.height / 2, 'No samples', {
              anchor: 'middle',
              className: 'heading',
            }),
          ]
        : plotArea(drawn, slaUs, right, labelled)),
      ...table.body,
    ],
  });
}

function plotArea(
  curves: readonly Curve[],
  slaUs: number | null,
  right: number,
  labelled: boolean,
): string[] {
  const bottom = plot.top + plot.height;
  const heights = curves.flatMap(({ points }) => points.map(({ valueUs }) => msOf(valueUs)));
  if (slaUs !== null) heights.push(msOf(slaUs));
  const countMax = Math.max(10, ...curves.map(({ line }) => line.histogram.totalCount));
  const yTicks = logTicks(Math.min(...heights), Math.max(...heights));
  const x = scaleLog([1, countMax], [plot.left, right]);
  const y = scaleLog([yTicks[0]?.value ?? 1, yTicks.at(-1)?.value ?? 10], [bottom, plot.top]);
  const path = linePath<PercentilePoint>()
    .x(({ percentile }) => round(x(beyond(percentile / 100))))
    .y(({ valueUs }) => round(y(msOf(valueUs))))
    .curve(curveLinear);

  const ends = curves.map((curve) => {
    const last = curve.points.at(-1) as PercentilePoint;
    return { curve, x: x(beyond(last.percentile / 100)), y: y(msOf(last.valueUs)) };
  });
  const labelYs = spread(
    ends.map((end) => end.y),
    15,
    plot.top,
    bottom,
  );
  return [
    ...yTicks.flatMap(({ value, text }) => [
      svgLine(plot.left, y(value), right, y(value), 'grid'),
      ...(text === ''
        ? []
        : [svgText(plot.left - 8, y(value) + 4, text, { anchor: 'end', className: 'soft number' })]),
    ]),
    ...percentileTicks(countMax).flatMap(({ value, text }) => [
      svgLine(x(value), plot.top, x(value), bottom + 5, 'grid'),
      svgText(x(value), bottom + 20, text, { anchor: 'middle', className: 'soft number' }),
    ]),
    svgLine(plot.left, bottom, right, bottom, 'axis'),
    svgText(
      (plot.left + right) / 2,
      bottom + 40,
      'percentile, by 1 / (1 − p) on a log scale; each line ends where its count does',
      {
        anchor: 'middle',
        className: 'soft',
      },
    ),
    ...curves.map(
      ({ points, colour, dashes }) =>
        `<path class="curve c${colour}" stroke-dasharray="${dashes}" d="${path([...points]) ?? ''}"/>`,
    ),
    ...ends.map(({ curve, x: endX, y: endY }) => dot(endX, endY, 3, `mark c${curve.colour}`)),
    ...(slaUs === null ? [] : slaLine(curves, slaUs, x, y(msOf(slaUs)), right)),
    ...(labelled
      ? ends.flatMap(({ curve, x: endX, y: endY }, index) => {
          const labelY = labelYs[index] as number;
          return [
            svgLine(endX + 4, endY, right + 12, labelY, `leader c${curve.colour}`),
            svgText(right + 16, labelY + 4, shortened(curve.line.label, labelLengthMax), {
              className: `name c${curve.colour}`,
            }),
          ];
        })
      : []),
  ];
}

/** The limit, and a ring where a line crosses it. */
function slaLine(
  curves: readonly Curve[],
  slaUs: number,
  x: (value: number) => number,
  slaY: number,
  right: number,
): string[] {
  return [
    svgLine(plot.left, slaY, right, slaY, 'limit'),
    svgText(right - 6, slaY - 6, `SLA ${msText(slaUs)} ms`, { anchor: 'end', className: 'limitText' }),
    ...curves.flatMap(({ within, colour }) =>
      within === null || within === 0 || within === 1
        ? []
        : [dot(x(beyond(within)), slaY, 4.5, `ring c${colour}`)],
    ),
  ];
}

type Column = readonly [heading: string, right: number, cell: (curve: Curve) => string];

function tableOf(
  curves: readonly Curve[],
  slaUs: number | null,
  top: number,
): { readonly body: string[]; readonly bottom: number } {
  const quantile = (of: 'p50' | 'p95' | 'p99' | 'max') => (curve: Curve) => msText(curve.summary[of]);
  const columns: Column[] = [
    ['count', 420, ({ line }) => numberText(line.histogram.totalCount)],
    ['valid trials', 500, ({ line }) => `${line.valid ? line.trials.length : 0} of ${line.trialsMeasured}`],
    [
      'confirmed, %',
      592,
      ({ line }) => (line.confirmedShare === null ? '-' : percentText(line.confirmedShare)),
    ],
    ['p50, ms', 652, quantile('p50')],
    ['p95, ms', 712, quantile('p95')],
    ['p99, ms', 772, quantile('p99')],
    ['max, ms', 834, quantile('max')],
    ...(slaUs === null ? [] : [['SLA to', 886, ({ within }: Curve) => crossingText(within)] as const]),
  ];
  return {
    body: [
      ...columns.map(([heading, right]) =>
        svgText(right, top, heading, { anchor: 'end', className: 'soft' }),
      ),
      svgLine(20, top + 7, width - 15, top + 7, 'axis'),
      ...curves.flatMap((curve, index) => {
        const y = top + 7 + (index + 1) * rowHeight - 4;
        const notes = caveats(curve.line);
        const note = notes.map((text) => `, ${text}`).join('');
        const name = shortened(curve.line.label, nameLengthMax - note.length) + note;
        return [
          `<line class="curve c${curve.colour}" stroke-dasharray="${curve.dashes}" x1="20" x2="52" y1="${y - 4}" y2="${y - 4}"/>`,
          svgText(60, y, name, { className: notes.length > 0 ? 'strong' : 'plain' }),
          ...columns.map(([, right, cell]) =>
            svgText(right, y, cell(curve), { anchor: 'end', className: 'number' }),
          ),
        ];
      }),
    ],
    bottom: top + 7 + curves.length * rowHeight,
  };
}

function descriptionOf(curves: readonly Curve[], slaUs: number | null): string {
  return curves
    .map(({ line, within, summary: { count, p50, p95, p99, max } }) => {
      const notes = caveats(line).filter((note) => note !== 'no samples');
      const name = `${line.label}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
      if (count === 0) return `${name}: no samples.`;
      const figures = [
        ['p50', p50],
        ['p95', p95],
        ['p99', p99],
        ['max', max],
      ].flatMap(([key, us]) => (typeof us === 'number' ? [`${String(key)} ${msText(us)} ms`] : []));
      const sla = slaUs === null ? [] : [`within ${msText(slaUs)} ms up to ${crossingText(within)}`];
      return `${name}: ${[...figures, ...sla].join(', ')}, ${numberText(count)} samples.`;
    })
    .join(' ');
}

/** 1 / (1 - p), for a share below 1. */
function beyond(share: number): number {
  return 1 / (1 - share);
}

/** ms on an axis that has no zero: what took less than 1 µs is drawn at 1 µs. */
function msOf(us: number): number {
  return Math.max(us, 1) / 1000;
}

function dot(x: number, y: number, radius: number, className: string): string {
  return `<circle class="${className}" cx="${round(x)}" cy="${round(y)}" r="${radius}"/>`;
}

/** Moves positions apart until `gap` lies between neighbours, within `low` and `high` where they fit. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] as number) - (wanted[b] as number));
  const places = new Array<number>(wanted.length).fill(low);
  let free = low;
  for (const index of order) {
    places[index] = Math.max(wanted[index] as number, free);
    free = places[index] + gap;
  }
  let roof = high;
  for (const index of order.toReversed()) {
    places[index] = Math.min(places[index] as number, roof);
    roof = places[index] - gap;
  }
  return places;
}
