/** Time charts: the panels of a trial's timeline, with the breaker's bands and the marks of deaths and restarts. */
import type uPlot from 'uplot';
import { numberText } from '../harness/number-text.ts';
import type { TrialTimeline } from '../harness/report/page-data.ts';
import type { Panel, PanelLine } from '../harness/report/timeline-panels.ts';
import { axis, drawText, leastMs, pixelRatio, place, yAxis, yScale } from './chart-kit.ts';
import { colourOf } from './theme.ts';
import { type ZoomGroup, zoomOptions } from './zoom.ts';

/** Charts with this key show the same moment under the cursor. */
const cursorKey = 'time';
const axisPx = 34;

export interface PanelPlace {
  readonly host: HTMLElement;
  readonly readout: HTMLElement;
  /** Of the plotting area, in px. */
  readonly heightPx: number;
  /** Whether the seconds are written below. */
  readonly withAxis: boolean;
  /** Highest value of the y axis, so that panels of several stacks can be compared; null: its own. */
  readonly yMax: number | null;
}

/** Draws one panel; says so in words where its columns hold nothing. Returns how to take it away. */
export function drawPanel(
  timeline: TrialTimeline,
  panel: Panel,
  where: PanelPlace,
  group: ZoomGroup,
): () => void {
  const { host, readout } = where;
  host.replaceChildren();
  readout.textContent = '';
  const columns = panel.lines.map(({ column }) => timeline.columns[column]);
  if (columns.every((column) => column.every((value) => value === null))) {
    const text = document.createElement('p');
    text.className = 'empty';
    text.textContent = 'Nothing was measured here.';
    host.append(text);
    return () => undefined;
  }
  const data: uPlot.AlignedData = [
    timeline.startS.map((startS) => startS + timeline.stepS / 2),
    ...columns.map((column) =>
      panel.logarithmic
        ? column.map((value) => (value === null ? null : Math.max(value, leastMs)))
        : [...column],
    ),
  ];
  const drawn = place(host, optionsOf(timeline, panel, where, group), data);
  group.add(drawn.chart);
  return () => {
    group.remove(drawn.chart);
    drawn.destroy();
  };
}

function optionsOf(
  timeline: TrialTimeline,
  panel: Panel,
  { readout, heightPx, withAxis, yMax }: PanelPlace,
  group: ZoomGroup,
): Omit<uPlot.Options, 'width'> {
  const { cursor, hooks } = zoomOptions(() => group);
  const scale = yScale(panel.logarithmic);
  return {
    height: heightPx + (withAxis ? axisPx : 8),
    legend: { show: false },
    padding: [8, 16, withAxis ? 0 : 8, 0],
    cursor: {
      ...cursor,
      y: false,
      points: { show: false },
      sync: { key: cursorKey, setSeries: false, scales: ['x', null] },
    },
    scales: { x: { time: false }, y: yMax === null ? scale : { range: [0, yMax * 1.08] } },
    axes: [
      axis({
        size: withAxis ? axisPx : 0,
        space: 56,
        values: (_, splits) => splits.map((seconds) => (withAxis ? `${Number(seconds.toFixed(3))} s` : '')),
      }),
      yAxis(panel.logarithmic),
    ],
    series: [
      {},
      ...panel.lines.map((line) => ({
        label: line.label,
        stroke: () => colourOf(line.colour),
        dash: [...line.dash],
        width: line.width,
        points: { show: false },
      })),
    ],
    hooks: {
      ...hooks,
      drawClear: [
        (chart) => {
          drawOutsideOfWindow(chart, timeline);
          drawBands(chart, timeline);
        },
      ],
      draw: [
        (chart) => {
          drawLives(chart, timeline);
        },
      ],
      setCursor: [
        (chart) => {
          const index = chart.cursor.idx;
          readout.textContent = index == null ? '' : readoutText(timeline, panel, index);
        },
      ],
    },
  };
}

function readoutText(timeline: TrialTimeline, panel: Panel, index: number): string {
  const valueText = ({ column, label }: PanelLine) => {
    const value = timeline.columns[column][index] ?? null;
    return `${label} ${value === null ? 'not measured' : `${numberText(value)} ${panel.unit}`.trim()}`;
  };
  return `${numberText(timeline.startS[index] ?? 0)} s: ${panel.lines.map(valueText).join(', ')}`;
}

/** Warm-up and drain are not part of what counts. */
function drawOutsideOfWindow(chart: uPlot, { windowS }: TrialTimeline): void {
  fill(chart, -Infinity, 0, colourOf('--outside'));
  fill(chart, windowS, Infinity, colourOf('--outside'));
}

/** Open: a plain band; half-open: a hatched one. Both with an edge on top that is seen where they are narrow. */
function drawBands(chart: uPlot, { bands }: TrialTimeline): void {
  for (const { fromS, toS, state } of bands) {
    const colour = colourOf(state === 'open' ? '--band-open' : '--band-half-open');
    fill(chart, fromS, toS, state === 'open' ? colour : hatched(chart.ctx, colour));
    fill(chart, fromS, toS, colourOf(state === 'open' ? '--failed' : '--half-open'), 3);
  }
}

function hatched(ctx: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const size = Math.round(6 * pixelRatio());
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext('2d');
  if (pen === null) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 2 * pixelRatio();
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
  }
  pen.stroke();
  return ctx.createPattern(tile, 'repeat') ?? colour;
}

/** Fills a stretch of time; `heightPx` from the top, else the whole height. */
function fill(
  chart: uPlot,
  fromS: number,
  toS: number,
  style: string | CanvasPattern,
  heightPx = Infinity,
): void {
  const { ctx, bbox } = chart;
  const at = (seconds: number) =>
    Math.min(Math.max(chart.valToPos(seconds, 'x', true), bbox.left), bbox.left + bbox.width);
  const { min = 0, max = 0 } = chart.scales.x ?? {};
  const left = fromS <= min ? bbox.left : at(fromS);
  const right = toS >= max ? bbox.left + bbox.width : at(toS);
  if (right <= left || fromS >= max || toS <= min) return;
  ctx.save();
  ctx.fillStyle = style;
  // A band of a few ms is still one device pixel wide.
  ctx.fillRect(left, bbox.top, Math.max(right - left, 1), Math.min(bbox.height, heightPx * pixelRatio()));
  ctx.restore();
}

/** A death: a line with a cross on top. A restart: a triangle at the bottom. */
function drawLives(chart: uPlot, { deathsS, restartsS }: TrialTimeline): void {
  const { ctx, bbox } = chart;
  const px = pixelRatio();
  const { min = 0, max = 0 } = chart.scales.x ?? {};
  const inSight = (seconds: number) => seconds >= min && seconds <= max;
  for (const deathS of (deathsS ?? []).filter(inSight)) {
    const x = chart.valToPos(deathS, 'x', true);
    ctx.save();
    ctx.strokeStyle = colourOf('--death');
    ctx.lineWidth = px;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
    drawText(chart, '✕', x, bbox.top + 5 * px, colourOf('--death'), 'center');
  }
  for (const restartS of restartsS.filter(inSight)) {
    const x = chart.valToPos(restartS, 'x', true);
    const foot = bbox.top + bbox.height;
    ctx.save();
    ctx.fillStyle = colourOf('--restart');
    ctx.beginPath();
    ctx.moveTo(x, foot - 8 * px);
    ctx.lineTo(x + 5 * px, foot);
    ctx.lineTo(x - 5 * px, foot);
    ctx.fill();
    ctx.restore();
  }
}
