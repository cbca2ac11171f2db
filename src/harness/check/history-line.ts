/** History line: what a check adds to the history. It says all that a reader of many years' lines needs to know. Pure. */
import { z } from 'zod';
import { type CheckRecord, verdicts } from './check-record.ts';

const figure = z.number().nullable();

const sideSchema = z.strictObject({ label: z.string(), commit: z.string().nullable() });

const metricSchema = z.strictObject({
  /** Not only those of today's table: a metric that is taken out of it stays in the history. */
  key: z.string(),
  name: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  scale: z.enum(['ratio', 'difference']),
  smallestEffect: z.number().nonnegative(),
  /** Medians over the rounds. */
  a: figure,
  b: figure,
  /** B over A (`ratio`) or B minus A (`difference`), with its 95 % interval; null: not known. */
  change: figure,
  low: figure,
  high: figure,
  verdict: z.enum(verdicts),
});

export const historyLineSchema = z.strictObject({
  schema: z.literal(1),
  kind: z.literal('check-history'),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** False: interrupted. */
  complete: z.boolean(),
  /** Null: only limits were checked. */
  a: sideSchema.nullable(),
  b: sideSchema,
  /** What figures have to share to be compared. */
  host: z.strictObject({ node: z.string(), cpu: z.string(), cores: z.int().nonnegative() }),
  pattern: z.string(),
  metrics: z.array(metricSchema),
  verdict: z.enum(verdicts),
});

export type HistoryLine = z.infer<typeof historyLineSchema>;
export type HistoryMetric = z.infer<typeof metricSchema>;

/** With what each line begins; what begins so and is no JSON was cut off while it was written. */
export const historyMark = '{"schema":1,"kind":"check-history",';

export function historyLineOf(record: CheckRecord): HistoryLine {
  const { id, startedAt, complete, sides, host, pattern, metrics, verdict } = record;
  return {
    schema: 1,
    kind: 'check-history',
    id,
    startedAt,
    complete,
    a: sides.a,
    b: sides.b,
    host: { node: host.node, cpu: host.cpu, cores: host.cores },
    pattern,
    metrics: metrics.map((metric) => ({
      key: metric.key,
      name: metric.name,
      unit: metric.unit,
      better: metric.better,
      scale: metric.scale,
      smallestEffect: metric.smallestEffect,
      a: metric.a,
      b: metric.b,
      change: metric.change?.value ?? null,
      low: metric.change?.low ?? null,
      high: metric.change?.high ?? null,
      verdict: metric.verdict,
    })),
    verdict,
  };
}
