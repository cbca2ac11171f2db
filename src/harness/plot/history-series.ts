/** History series: the checks of a history as one series per metric, in the order of their time. Pure. */
import type { HistoryLine, HistoryMetric } from '../check/history-line.ts';

export interface HistoryPoint {
  /** The place of the check among all of the history. */
  readonly place: number;
  readonly check: HistoryLine;
  readonly metric: HistoryMetric;
  readonly change: number;
  /** The interval; where none is known, the change itself. */
  readonly low: number;
  readonly high: number;
}

export interface HistorySeries {
  readonly key: string;
  /** As the newest check has it. */
  readonly metric: HistoryMetric;
  /** Checks in which the metric has a change. */
  readonly points: readonly HistoryPoint[];
}

/** The checks by their time; those that compared nothing are left out. */
export function comparedChecks(lines: readonly HistoryLine[]): HistoryLine[] {
  return lines
    .filter(({ metrics }) => metrics.some(({ change }) => change !== null))
    .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
}

/** One series per metric, in the order in which the newest checks have them. */
export function historySeries(checks: readonly HistoryLine[]): HistorySeries[] {
  const newest = new Map<string, HistoryMetric>();
  for (const { metrics } of checks.toReversed()) {
    for (const metric of metrics) if (!newest.has(metric.key)) newest.set(metric.key, metric);
  }
  return [...newest].flatMap(([key, metric]) => {
    const points = checks.flatMap((check, place) => {
      const here = check.metrics.find((one) => one.key === key);
      // Changes of another scale have no place on this one's axis.
      if (here?.scale !== metric.scale || here.unit !== metric.unit || here.change === null) return [];
      const { change, low, high } = here;
      return [{ place, check, metric: here, change, low: low ?? change, high: high ?? change }];
    });
    return points.length === 0 ? [] : [{ key, metric, points }];
  });
}

/** What two checks must have in common for their figures to be one series. */
export function hostKey({ host: { node, cpu, cores } }: HistoryLine): string {
  return `${node.split('.')[0] ?? node}|${cpu}|${cores}`;
}

/** Points in a row on one host. */
export function stretchesOf(points: readonly HistoryPoint[]): HistoryPoint[][] {
  const stretches: HistoryPoint[][] = [];
  for (const point of points) {
    const stretch = stretches.at(-1);
    const before = stretch?.at(-1);
    if (stretch !== undefined && before !== undefined && hostKey(before.check) === hostKey(point.check)) {
      stretch.push(point);
    } else stretches.push([point]);
  }
  return stretches;
}

/** Places of a few checks, the first and the last among them, evenly apart. */
export function ticksOf(count: number, ticksMax: number): number[] {
  if (count <= ticksMax) return Array.from({ length: count }, (_, place) => place);
  return Array.from({ length: ticksMax }, (_, tick) => Math.round((tick * (count - 1)) / (ticksMax - 1)));
}
