/** Chart kit: what all charts of the page have in common: axes, scales, colours and a width that follows the page. */
import uPlot from 'uplot';
import { tickText } from '../harness/number-text.ts';
import { colourOf, onThemeChange } from './theme.ts';

const font = '12px system-ui, sans-serif';
/** The same for all, so that charts above each other line up. */
export const yAxisWidthPx = 56;

/** Shown for 0 on a logarithmic axis, in ms: the resolution of the histograms. */
export const leastMs = 0.001;

export const pixelRatio = (): number => uPlot.pxRatio;

/** An axis in the colours of the page. */
export function axis(options: uPlot.Axis): uPlot.Axis {
  return {
    font,
    stroke: () => colourOf('--muted'),
    grid: { stroke: () => colourOf('--grid'), width: 1 },
    ticks: { show: false },
    border: { show: true, stroke: () => colourOf('--rule'), width: 1 },
    gap: 6,
    ...options,
  };
}

/** A y axis of whole decades, or one from 0. */
export function yAxis(logarithmic: boolean): uPlot.Axis {
  return axis({
    size: yAxisWidthPx,
    space: logarithmic ? 14 : 26,
    values: (_, splits) => splits.map((value: number | null) => (value === null ? '' : tickText(value))),
    ...(logarithmic && {
      filter: decadesOf,
      grid: { stroke: () => colourOf('--grid'), width: 1, filter: decadesOf },
    }),
  });
}

export function yScale(logarithmic: boolean): uPlot.Scale {
  if (!logarithmic) {
    return { range: (_, __, max) => [0, Number.isFinite(max) && max > 0 ? max * 1.08 : 1] };
  }
  return {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- uPlot declares its numbers as an enum that does not exist at run time
    distr: 3,
    log: 10,
    range: (_, min, max) => {
      // Where nothing is in sight there is no smallest value either.
      if (!(min > 0 && max > 0)) return [1, 10];
      const from = 10 ** Math.floor(Math.log10(min) + 1e-9);
      const to = 10 ** Math.ceil(Math.log10(max) - 1e-9);
      return [from, to > from ? to : from * 10];
    },
  };
}

function decadesOf(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (isDecade(value) ? value : null));
}

function isDecade(value: number): boolean {
  const decade = Math.log10(value);
  return Math.abs(decade - Math.round(decade)) < 1e-6;
}

/** Draws a chart that keeps the width of its place and the colours of the page. Returns how to take it away. */
export function place(
  host: HTMLElement,
  options: Omit<uPlot.Options, 'width'>,
  data: uPlot.AlignedData,
): { readonly chart: uPlot; destroy(): void } {
  const widthOf = () => Math.max(Math.floor(host.clientWidth), 120);
  const chart = new uPlot({ ...options, width: widthOf() }, data, host);
  const observer = new ResizeObserver(() => {
    if (chart.width !== widthOf()) chart.setSize({ width: widthOf(), height: options.height });
  });
  observer.observe(host);
  drawn.add(chart);
  return {
    chart,
    destroy() {
      observer.disconnect();
      drawn.delete(chart);
      chart.destroy();
    },
  };
}

const drawn = new Set<uPlot>();
onThemeChange(() => {
  for (const chart of drawn) chart.redraw(false);
});

/** Text on a canvas, in the font of the axes. */
export function drawText(
  { ctx }: uPlot,
  text: string,
  x: number,
  y: number,
  colour: string,
  align: CanvasTextAlign = 'left',
): void {
  ctx.save();
  ctx.font = font.replace('12px', `${12 * pixelRatio()}px`);
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = 'alphabetic';
  ctx.fillText(text, x, y);
  ctx.restore();
}
