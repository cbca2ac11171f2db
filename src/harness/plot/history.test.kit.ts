/** Kit: lines of a history for tests of what is drawn from them. */
import type { CheckMetricKey } from '../check/check-metrics.ts';
import { sampleMetric, sampleRecord } from '../check/check-record.test.kit.ts';
import type { MetricRecord } from '../check/check-record.ts';
import { type HistoryLine, historyLineOf } from '../check/history-line.ts';

/** The check of that day in January, of these metrics. */
export function checkOf(
  day: number,
  metrics: Readonly<Partial<Record<CheckMetricKey, Partial<MetricRecord>>>>,
  cpu = 'sample',
): HistoryLine {
  const sample = sampleRecord();
  const keys = Object.keys(metrics) as CheckMetricKey[];
  return historyLineOf({
    ...sample,
    startedAt: `2026-01-${String(day).padStart(2, '0')}T12:00:00.000Z`,
    host: { ...sample.host, cpu },
    metrics: keys.map((key) => sampleMetric(key, metrics[key])),
  });
}
