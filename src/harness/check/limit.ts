/** Limit: a bound on any figure of a trial, as it is given on a command line: `orders.responseUs.p95<=300ms`. */
import { z } from 'zod';
import { UsageError } from '../../patterns/usage-error.ts';
import { type Trial, trialSchema } from '../result.ts';
import { type ScenarioName, scenarioNames } from './check-metrics.ts';

export interface Limit {
  /** As it was given. */
  readonly text: string;
  readonly scenario: ScenarioName;
  readonly path: readonly string[];
  /** Whether the bound is the largest value that is allowed, or the smallest. */
  readonly bound: 'max' | 'min';
  /** In the unit of the field. */
  readonly value: number;
}

const example =
  'such as orders.responseUs.p95<=300ms, healthy:eventLoop.delayUs.p99<=5ms or payments.duplicates<=0';

/**
 * Reads a limit. It holds in the failing scenario unless `healthy:` stands before it.
 *
 * @throws {UsageError} If it is none, or names a figure that does not exist.
 */
export function parseLimit(text: string): Limit {
  const [, scenarioText, field = '', comparison, number, unit = ''] =
    /^(?:(\w+):)?([\w.-]+)\s*(<=|>=)\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s|%|KB|MB|)$/.exec(text.trim()) ?? [];
  if (comparison === undefined)
    throw new UsageError(
      `${JSON.stringify(text)} is no limit; allowed: FIGURE<=VALUE or FIGURE>=VALUE, ${example}`,
    );
  const scenario = scenarioNames.find((name) => name === (scenarioText ?? 'failing'));
  if (scenario === undefined) {
    throw new UsageError(
      `limit ${text}: there is no scenario ${scenarioText ?? ''}; allowed: ${scenarioNames.join(', ')}`,
    );
  }
  const path = field.split('.');
  checkField(text, path);
  return {
    text,
    scenario,
    path,
    bound: comparison === '<=' ? 'max' : 'min',
    value: Number(number) * factorOf(text, path, unit),
  };
}

/** The trial's figure; null: it has none. */
export function limitedFigure({ path }: Limit, trial: Trial): number | null {
  let value: unknown = trial;
  for (const name of path) value = (value as Record<string, unknown> | null)?.[name];
  return typeof value === 'number' ? value : null;
}

/** Units of time in µs, as far as they can be written. */
const timeUnitsUs: Readonly<Record<string, number>> = { us: 1, µs: 1, ms: 1000, s: 1_000_000 };
const sizeUnits: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 * 1024 };

/** What a number with that unit has to be multiplied with to be in the unit that the field's name ends in. */
function factorOf(text: string, path: readonly string[], unit: string): number {
  const named =
    path.toReversed().find((name) => /(Us|Ms|Bytes|Rate|Share|utilization|Percent)$/.test(name)) ?? '';
  const wrong = (allowed: string) =>
    new UsageError(`limit ${text}: the unit of ${path.join('.')} is ${allowed}`);
  if (named.endsWith('Us') || named.endsWith('Ms')) {
    const us = timeUnitsUs[unit];
    if (us === undefined) throw wrong('us, ms or s');
    return named.endsWith('Us') ? us : us / 1000;
  }
  if (named.endsWith('Bytes')) {
    const bytes = sizeUnits[unit];
    if (bytes === undefined) throw wrong('KB or MB');
    return bytes;
  }
  if (/(Rate|Share|utilization)$/.test(named)) {
    if (unit !== '' && unit !== '%') throw wrong('%, or none for a share from 0 to 1');
    return unit === '%' ? 0.01 : 1;
  }
  if (unit !== '') throw wrong('none');
  return 1;
}

/** Follows the path through the schema of a trial. */
function checkField(text: string, path: readonly string[]): void {
  let schema: z.ZodType = trialSchema;
  for (const name of path) {
    schema = withoutWrappers(schema);
    if (schema instanceof z.ZodRecord) {
      schema = schema.valueType as z.ZodType;
      continue;
    }
    const shape: Readonly<Record<string, z.ZodType>> = schema instanceof z.ZodObject ? schema.shape : {};
    const next = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (next === undefined) {
      const allowed = Object.keys(shape).filter((key) => key !== 'histograms' && key !== 'timeline');
      throw new UsageError(
        `limit ${text}: a trial has no ${path.join('.')}; allowed in place of ${name}: ${allowed.join(', ') || 'nothing'}`,
      );
    }
    schema = next;
  }
  if (withoutWrappers(schema) instanceof z.ZodNumber) return;
  const inner = withoutWrappers(schema);
  const parts = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  throw new UsageError(
    `limit ${text}: ${path.join('.')} is no number${parts.length > 0 ? `; allowed behind it: ${parts.join(', ')}` : ''}`,
  );
}

function withoutWrappers(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) inner = inner.unwrap() as z.ZodType;
  return inner;
}
