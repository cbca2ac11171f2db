/** Check record: what a check leaves behind. Every table, annotation and line of its history is made from this alone. */
import { z } from 'zod';
import { resultSchema } from '../result.ts';
import { checkMetricKeys, scenarioNames } from './check-metrics.ts';

const count = z.int().nonnegative();
const figure = z.number().nullable();
const metricKey = z.enum(checkMetricKeys);
const scenario = z.enum(scenarioNames);

/** A version of the code, or an earlier result, that was measured. */
const sideSchema = z.strictObject({
  /** As a person names it: `main`, `working tree`, `runs/20260101T000000Z-abcdef`. */
  label: z.string(),
  /** Null: not a git checkout. */
  commit: z.string().nullable(),
});

const figuresSchema = z.partialRecord(metricKey, figure);

/** One trial of each side, in one scenario. */
export const pairSchema = z.strictObject({
  scenario,
  /** Why the pair does not count; null: it does. */
  discarded: z.string().nullable(),
  /** Null: this side is not measured (only limits are checked). */
  a: figuresSchema.nullable(),
  b: figuresSchema,
  /** B's figure for each limit that is checked in this scenario, by the limit's text. */
  limits: z.record(z.string(), figure).default({}),
});

export const roundSchema = z.strictObject({
  /** From 1. */
  round: count.min(1),
  order: z.enum(['AB', 'BA']),
  pairs: z.array(pairSchema),
});

export const verdicts = ['worse', 'better', 'same', 'inconclusive'] as const;

const metricSchema = z.strictObject({
  key: metricKey,
  name: z.string(),
  unit: z.string(),
  scenario,
  better: z.enum(['lower', 'higher']),
  scale: z.enum(['ratio', 'difference']),
  /** 0.03 is 3 % with `ratio`, 0.03 of the unit with `difference`. */
  smallestEffect: z.number().nonnegative(),
  /** Rounds in which both sides have a figure and were not disturbed. */
  rounds: count,
  /** Medians over these rounds. */
  a: figure,
  b: figure,
  /** B over A (`ratio`, a geometric mean over rounds) or B minus A (`difference`), with its 95 % interval from 5 rounds on. */
  change: z.strictObject({ value: z.number(), low: figure, high: figure }).nullable(),
  verdict: z.enum(verdicts),
  /** Null: not decided. */
  decidedInRound: count.nullable(),
});

const limitSchema = z.strictObject({
  /** As it was given. */
  text: z.string(),
  scenario,
  /** The value of the limit, and B's median, in the unit of the result's field. */
  limit: z.number(),
  value: figure,
  rounds: count,
  verdict: z.enum(['kept', 'broken', 'inconclusive']),
});

export const checkRecordSchema = z.strictObject({
  schema: z.literal(1),
  kind: z.literal('check'),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** False: interrupted. */
  complete: z.boolean(),
  /** The command that repeats the check. */
  command: z.string(),
  host: resultSchema.shape.host,
  /** A is the baseline; null where only limits are checked. B is what is judged. */
  sides: z.strictObject({ a: sideSchema.nullable(), b: sideSchema }),
  /** Whether A was measured earlier than B, and not beside it. */
  aMeasuredEarlier: z.boolean(),
  pattern: z.string(),
  /** The flags of `run` for each scenario. */
  scenarios: z.array(z.strictObject({ name: scenario, flags: z.string() })),
  alpha: z.number(),
  budgetMs: z.number(),
  /** Where the time went, in ms. */
  spent: z.strictObject({
    preparingMs: z.number(),
    measuringMs: z.partialRecord(scenario, z.number()),
    totalMs: z.number(),
  }),
  rounds: z.array(roundSchema),
  metrics: z.array(metricSchema),
  limits: z.array(limitSchema),
  warnings: z.array(z.string()),
  /** `worse`: a metric is worse or a limit is broken. `inconclusive`: nothing is worse, but something is undecided. */
  verdict: z.enum(verdicts),
});

export type CheckRecord = z.infer<typeof checkRecordSchema>;
export type MetricRecord = z.infer<typeof metricSchema>;
export type LimitRecord = z.infer<typeof limitSchema>;
export type Round = z.infer<typeof roundSchema>;
export type Pair = z.infer<typeof pairSchema>;
export type Side = z.infer<typeof sideSchema>;
