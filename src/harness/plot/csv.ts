/** CSV: percentile series and timelines for a spreadsheet (RFC 4180). Pure. */
import { type Cell, csvLine } from '../csv-line.ts';
import type { TimelineRow } from '../result.ts';
import { percentileSeries } from './percentile-series.ts';
import type { PlotLine } from './plot-line.ts';

export const percentilesCsvHeader =
  'run,stack,class,valid,trials,count,percentile,1/(1-percentile),response_us';

const timelineColumns = {
  at_ms: 'atMs',
  offered: 'offered',
  confirmed: 'confirmed',
  failed: 'failed',
  response_p99_us: 'responseP99Us',
  lateness_p99_us: 'latenessP99Us',
  in_flight: 'inFlight',
  breaker_state: 'breakerState',
  loop_delay_p99_us: 'loopDelayP99Us',
  canary_delay_p99_us: 'canaryDelayP99Us',
  target_up: 'targetUp',
  rss_bytes: 'rssBytes',
  cpu_percent: 'cpuPercent',
} as const satisfies Record<string, keyof TimelineRow>;

export const timelineCsvHeader = [
  'run',
  'stack',
  'trial_sequence',
  'valid',
  ...Object.keys(timelineColumns),
].join(',');

/** A row per point of each percentile series. */
export function percentilesCsv(lines: readonly PlotLine[]): string {
  return csv(
    percentilesCsvHeader,
    lines.flatMap((line) =>
      percentileSeries(line.histogram).map(({ percentile, valueUs }) => [
        line.run.id,
        line.stack,
        line.requestClass,
        line.valid,
        line.trials.length,
        line.histogram.totalCount,
        Number(percentile.toFixed(9)),
        Number((100 / (100 - percentile)).toFixed(6)),
        valueUs,
      ]),
    ),
  );
}

/** A row per 250 ms of each trial that counts. */
export function timelineCsv(lines: readonly PlotLine[]): string {
  return csv(
    timelineCsvHeader,
    lines.flatMap((line) =>
      line.trials.flatMap((trial) =>
        trial.timeline.map((row) => [
          line.run.id,
          line.stack,
          trial.sequence,
          trial.valid,
          ...Object.values(timelineColumns).map((column) => row[column]),
        ]),
      ),
    ),
  );
}

function csv(header: string, rows: readonly (readonly Cell[])[]): string {
  return `${header}\r\n${rows.map(csvLine).join('')}`;
}
