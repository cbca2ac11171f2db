/** Percentile chart: values against depth, log10(1 / (1 - p)), so that 90, 99 and 99.9 % are equally far apart. */
import uPlot from 'uplot';
import { latencyText } from '../harness/number-text.ts';
import type { PercentileLine } from '../harness/report/page-data.ts';
import { axis, drawText, leastMs, pixelRatio, place, yAxis, yScale } from './chart-kit.ts';
import { find } from './dom.ts';
import { colourOf } from './theme.ts';
import { createZoomGroup, type ZoomGroup, zoomOptions } from './zoom.ts';

export interface ChartLine {
  readonly name: string;
  readonly line: PercentileLine;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly width: number;
  /** Outline of its mark; empty: unmarked. */
  readonly mark: string;
  readonly shown: boolean;
}

export interface PercentileView {
  readonly lines: readonly ChartLine[];
  readonly logarithmic: boolean;
  /** Null: no line. */
  readonly slaMs: number | null;
  /** Said where there is nothing to draw. */
  readonly emptyText: string;
}

/** A chart in `figure` that can be drawn again with other lines and keeps what is zoomed into. */
export function percentileChart(figure: HTMLElement): (view: PercentileView) => void {
  const host = find('.plot', figure);
  const readout = find('.readout', figure);
  let group: ZoomGroup | undefined;
  let chart: ReturnType<typeof place> | undefined;
  return (view) => {
    if (chart !== undefined) {
      group?.remove(chart.chart);
      chart.destroy();
      chart = undefined;
    }
    host.replaceChildren();
    readout.textContent = '';
    const lines = view.lines.filter(({ shown }) => shown);
    if (lines.length === 0) {
      host.append(paragraph(view.emptyText));
      return;
    }
    const deepest = Math.max(...view.lines.map(({ line }) => line.depth.at(-1) ?? 0), 1);
    const zoom = (group ??= createZoomGroup([0, deepest], figure, 0.05));
    chart = place(
      host,
      optionsOf(view, lines, () => zoom, readout),
      dataOf(lines),
    );
    zoom.add(chart.chart);
  };
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p');
  element.className = 'empty';
  element.textContent = text;
  return element;
}

function dataOf(lines: readonly ChartLine[]): uPlot.AlignedData {
  return uPlot.join(
    lines.map(
      ({ line }): uPlot.AlignedData => [
        [...line.depth],
        line.valueMs.map((valueMs) => Math.max(valueMs, leastMs)),
      ],
    ),
  );
}

function optionsOf(
  view: PercentileView,
  lines: readonly ChartLine[],
  group: () => ZoomGroup,
  readout: HTMLElement,
): Omit<uPlot.Options, 'width'> {
  const { cursor, hooks } = zoomOptions(group);
  return {
    height: Math.min(420, Math.max(280, window.innerHeight * 0.55)),
    legend: { show: false },
    padding: [12, 16, 0, 0],
    cursor: { ...cursor, y: false, points: { show: false } },
    scales: { x: { time: false }, y: yScaleWith(view) },
    axes: [
      axis({
        size: 34,
        splits: (chart) => depthTicks(chart.scales.x?.min ?? 0, chart.scales.x?.max ?? 1, chart.bbox.width),
        values: (_, splits) => splits.map(depthText),
      }),
      yAxis(view.logarithmic),
    ],
    series: [
      {},
      ...lines.map(({ name, colour, dash, width }) => ({
        label: name,
        stroke: () => colourOf(colour),
        dash: [...dash],
        width,
        spanGaps: true,
        points: { show: false },
      })),
    ],
    hooks: {
      ...hooks,
      draw: [
        (chart) => {
          drawLimit(chart, view.slaMs);
          for (const line of lines) drawMarks(chart, line);
        },
      ],
      setCursor: [
        (chart) => {
          const { left } = chart.cursor;
          readout.textContent =
            left === undefined || left < 0 ? '' : readoutText(lines, chart.posToVal(left, 'x'));
        },
      ],
    },
  };
}

/** The line of the limit must be in sight too. */
function yScaleWith({ logarithmic, slaMs }: PercentileView): uPlot.Scale {
  const scale = yScale(logarithmic);
  if (slaMs === null || typeof scale.range !== 'function') return scale;
  const { range } = scale;
  return {
    ...scale,
    range: (chart, min, max, key) => range(chart, Math.min(min, slaMs), Math.max(max, slaMs), key),
  };
}

function drawLimit(chart: uPlot, slaMs: number | null): void {
  if (slaMs === null) return;
  const { ctx, bbox } = chart;
  const y = chart.valToPos(slaMs, 'y', true);
  ctx.save();
  ctx.strokeStyle = colourOf('--ink');
  ctx.lineWidth = pixelRatio();
  ctx.setLineDash([6, 4].map((px) => px * pixelRatio()));
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
  drawText(
    chart,
    `SLA ${latencyText(slaMs * 1000)}`,
    bbox.left + 6 * pixelRatio(),
    y - 5 * pixelRatio(),
    colourOf('--ink'),
  );
}

const markedDepths = [50, 90, 99, 99.9, 99.99].map(depthOf);

/** Marks stand at the percentiles that the table has too. */
function drawMarks(chart: uPlot, { line, colour, mark }: ChartLine): void {
  if (mark === '') return;
  const { ctx } = chart;
  const path = new Path2D(mark);
  const { min = 0, max = 0 } = chart.scales.x ?? {};
  for (const depth of markedDepths) {
    const valueMs = valueAt(line, depth);
    if (valueMs === null || depth < min || depth > max) continue;
    ctx.save();
    ctx.translate(chart.valToPos(depth, 'x', true), chart.valToPos(Math.max(valueMs, leastMs), 'y', true));
    ctx.scale(pixelRatio(), pixelRatio());
    ctx.fillStyle = colourOf(colour);
    ctx.strokeStyle = colourOf('--paper');
    ctx.lineWidth = 1;
    ctx.fill(path);
    ctx.stroke(path);
    ctx.restore();
  }
}

/** The value that the given depth's share of all values does not exceed; null beyond the end of the line. */
export function valueAt({ depth, valueMs }: PercentileLine, wanted: number): number | null {
  if (wanted > (depth.at(-1) ?? -1) + 1e-9) return null;
  const next = depth.findIndex((place) => place >= wanted - 1e-9);
  return valueMs[next] ?? null;
}

function readoutText(lines: readonly ChartLine[], depth: number): string {
  const values = lines.flatMap(({ name, line }) => {
    const valueMs = valueAt(line, depth);
    return valueMs === null ? [] : [`${name} ${latencyText(valueMs * 1000)}`];
  });
  return `${depthText(depth)}: ${values.length === 0 ? 'no samples so far out' : values.join(' · ')}`;
}

function depthOf(percent: number): number {
  return -Math.log10(1 - percent / 100);
}

/** `99.9 %`, with as many digits as it takes to tell it from 100. */
export function depthText(depth: number): string {
  const beyond = 100 * 10 ** -depth;
  const digits = Math.max(0, Math.ceil(-Math.log10(beyond)) + (isNine(depth) ? 0 : 1));
  return `${Number((100 - beyond).toFixed(digits))}%`;
}

function isNine(depth: number): boolean {
  return Math.abs(depth - Math.round(depth)) < 1e-6;
}

/** Ticks in the order in which they are wanted; one that would stand too near to another is left out. */
const tickDepths: readonly number[] = [
  ...[0, 90, 99, 99.9, 99.99, 99.999],
  ...[50, 95, 99.5, 99.95, 99.995],
  ...[75, 97.5, 99.75, 99.975],
  ...[25, 60, 70, 80, 85, 92, 94, 96, 97, 98, 98.5, 99.2, 99.4, 99.6, 99.8, 99.92, 99.94, 99.96, 99.98],
].map(depthOf);

function depthTicks(min: number, max: number, widthPx: number): number[] {
  const apart = ((max - min) * 60 * pixelRatio()) / Math.max(widthPx, 1);
  const taken: number[] = [];
  for (const depth of tickDepths) {
    const inSight = depth >= min - 1e-9 && depth <= max + 1e-9;
    if (inSight && taken.every((other) => Math.abs(other - depth) >= apart)) taken.push(depth);
  }
  return taken.sort((a, b) => a - b);
}
