/** Timeline table: a trial's timeline as text; at most so many rows that it can be read. Pure; the page's script uses it too. */
import { numberText } from '../number-text.ts';
import type { DataTable } from './data-table.ts';
import type { TimelineColumn, TrialTimeline } from './page-data.ts';

const columns: readonly (readonly [column: TimelineColumn, head: string, merged: 'mean' | 'highest'])[] = [
  ['offeredPerS', 'offered, /s', 'mean'],
  ['confirmedPerS', 'confirmed, /s', 'mean'],
  ['failedPerS', 'failed, /s', 'mean'],
  ['responseP99Ms', 'response p99, ms', 'highest'],
  ['inFlight', 'in flight', 'highest'],
  ['memoryMB', 'memory, MB', 'highest'],
  ['loopDelayP99Ms', 'gateway loop delay p99, ms', 'highest'],
  ['canaryDelayP99Ms', 'canary loop delay p99, ms', 'highest'],
];

/** Rates are means over a row's time, all others the highest values in it. A dash: nothing was measured. */
export function timelineTable(timeline: TrialTimeline, rowsMax = 60): DataTable {
  const stepsPerRow = Math.max(1, Math.ceil(timeline.startS.length / rowsMax));
  const starts = timeline.startS.filter((_, index) => index % stepsPerRow === 0);
  return {
    heads: ['from, s', ...columns.map(([, head]) => head)],
    rows: starts.map((startS, row) => [
      numberText(startS),
      ...columns.map(([column, , merged]) => {
        const values = timeline.columns[column]
          .slice(row * stepsPerRow, (row + 1) * stepsPerRow)
          .filter((value) => value !== null);
        if (values.length === 0) return '-';
        return numberText(
          merged === 'highest'
            ? Math.max(...values)
            : values.reduce((sum, value) => sum + value, 0) / values.length,
        );
      }),
    ]),
  };
}

/** What a reader would see in the timeline, in a sentence. */
export function timelineText(name: string, timeline: TrialTimeline): string {
  const { trial, deathsS, bands, windowS, columns: values } = timeline;
  const highest = (column: TimelineColumn) => {
    const known = values[column].filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  const deaths = deathsS?.filter((deathS) => deathS >= 0 && deathS < windowS);
  const openS = bands.reduce(
    (sum, { fromS, toS }) => sum + Math.max(0, Math.min(toS, windowS) - Math.max(fromS, 0)),
    0,
  );
  const memoryMB = highest('memoryMB');
  const inFlight = highest('inFlight');
  return [
    `${name}, trial ${trial}${timeline.valid ? '' : ' (invalid)'}: in ${numberText(windowS)} s the payment service ${deaths === undefined ? 'was watched by nobody' : `died ${timesText(deaths)}`}`,
    ...(memoryMB === null ? [] : [`its memory rose to ${numberText(memoryMB)} MB`]),
    ...(inFlight === null ? [] : [`at most ${numberText(inFlight)} requests were in flight in the gateway`]),
    bands.length === 0 ? 'no breaker opened' : `the breaker was not closed for ${numberText(openS)} s`,
  ]
    .join(', ')
    .concat('.');
}

function timesText(deathsS: readonly number[]): string {
  const at = deathsS.map((deathS) => numberText(deathS));
  if (at.length === 0) return 'not once';
  const when = at.length > 6 ? `${at.slice(0, 6).join(', ')}, ...` : at.join(', ');
  return `${at.length === 1 ? 'once' : `${at.length} times`} (at ${when} s)`;
}
