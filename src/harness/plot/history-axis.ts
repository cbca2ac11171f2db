/** History axis: where a change stands in its panel, and the ticks beside it. Pure. */
import { scaleLinear } from 'd3-scale';
import { ratioText } from '../number-text.ts';
import type { HistorySeries } from './history-series.ts';

export interface HistoryAxis {
  /** The y of a change as the history has it: a factor or a difference. */
  readonly y: (change: number) => number;
  readonly ticks: readonly { readonly y: number; readonly text: string }[];
}

/**
 * All changes and the smallest effect fit; intervals may reach beyond. Factors stand on a logarithmic scale, so that
 * half as much is as far from zero as twice as much.
 *
 * @param low The y of the lower end, below `high` on the page.
 */
export function historyAxis({ metric, points }: HistorySeries, low: number, high: number): HistoryAxis {
  const isRatio = metric.scale === 'ratio';
  const place = (change: number) => (isRatio ? Math.log(Math.max(change, 1e-6)) : change);
  const effects = points.map((point) =>
    isRatio ? Math.log1p(point.metric.smallestEffect) : point.metric.smallestEffect,
  );
  const effect = Math.max(...effects);
  const places = points.map(({ change }) => place(change));
  const room = Math.max(effect, 1e-3) * 0.5;
  const bottom = Math.min(-effect, ...places) - room;
  const top = Math.max(effect, ...places) + room;
  const scale = scaleLinear([bottom, top], [low, high]);
  const ticks = isRatio
    ? ratioTicks(bottom, top).map((factor) => ({ y: scale(Math.log(factor)), text: factorText(factor) }))
    : scale.ticks(4).map((value) => ({ y: scale(value), text: signed(value) }));
  return { y: (change) => scale(place(change)), ticks: apart(ticks, scale(0)) };
}

/** In px: ticks nearer to each other than this would write over each other. */
const tickGap = 15;

/** Those that have room beside each other, zero first. */
function apart<T extends { readonly y: number }>(ticks: readonly T[], zeroY: number): T[] {
  const kept: T[] = [];
  for (const tick of ticks.toSorted((one, other) => Math.abs(one.y - zeroY) - Math.abs(other.y - zeroY))) {
    if (kept.every((other) => Math.abs(other.y - tick.y) >= tickGap)) kept.push(tick);
  }
  return kept;
}

/** Factors that read as round per cent, few enough for a small panel. */
function ratioTicks(bottom: number, top: number): number[] {
  const [least, most] = [Math.exp(bottom), Math.exp(top)];
  // Within a factor of two per cent are nearly even on the logarithmic scale.
  if (most / least <= 2.5) {
    return scaleLinear([(least - 1) * 100, (most - 1) * 100], [0, 1])
      .ticks(4)
      .map((perCent) => 1 + perCent / 100);
  }
  const decades = Math.log10(most / least);
  const steps = decades < 1.2 ? [1, 1.5, 2, 3, 5] : decades < 2.5 ? [1, 3] : [1];
  const ticks: number[] = [];
  for (let decade = -6; decade <= 6; decade += 1) {
    for (const step of steps) {
      // Below 1 the inverse of a round factor is as far from zero as the factor itself.
      const factor = decade < 0 ? 1 / (step * 10 ** (-decade - 1)) : step * 10 ** decade;
      if (factor >= least && factor <= most && !ticks.includes(factor)) ticks.push(factor);
    }
  }
  return ticks;
}

function factorText(factor: number): string {
  if (factor > 2) return `×${ratioText(factor)}`;
  if (factor < 0.5) return `×1/${ratioText(1 / factor)}`;
  return `${signed((factor - 1) * 100)} %`;
}

function signed(value: number): string {
  const text = ratioText(Math.abs(value));
  if (text === '0') return text;
  return value < 0 ? `-${text}` : `+${text}`;
}
