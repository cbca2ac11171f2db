/** Recording: trials of the same code, and of known regressions, that a self-test draws its checks from. */
import { existsSync, readFileSync } from 'node:fs';
import { prettifyError, z } from 'zod';
import { UsageError } from '../../patterns/usage-error.ts';
import { resultSchema } from '../result.ts';
import { writeWhole } from '../run-store.ts';
import { scenarioNames } from './check-metrics.ts';
import { pairSchema } from './check-record.ts';

/** Regressions of a known size. `a` twice is the code itself. */
export const variantNames = [
  'same',
  'slower10',
  'slower5',
  'noBreaker',
  'noJitter',
  'retriesAll',
  'leakier',
] as const;

export type VariantName = (typeof variantNames)[number];

const count = z.int().nonnegative();
const scenario = z.enum(scenarioNames);

/** 2: each pair knows how long it took. */
const recordingSchemaNow = 2;

export const recordingSchema = z.strictObject({
  schema: z.literal(recordingSchemaNow),
  kind: z.literal('self-test-recording'),
  startedAt: z.iso.datetime(),
  host: resultSchema.shape.host,
  pattern: z.string(),
  /** Flags of `run` that both sides have, by scenario. */
  scenarios: z.partialRecord(scenario, z.string()),
  /** Flags that a variant has on top, by scenario; absent: it is not measured there. */
  variants: z.record(z.enum(variantNames), z.partialRecord(scenario, z.string())),
  /** Each round has a pair for each variant and scenario that it is measured in: `a` is the code itself. */
  rounds: z.array(
    z.strictObject({
      round: count.min(1),
      variants: z.partialRecord(
        z.enum(variantNames),
        z.array(z.strictObject({ pair: pairSchema, tookMs: z.number().positive() })),
      ),
    }),
  ),
});

export type Recording = z.infer<typeof recordingSchema>;

/** @throws {UsageError} If there is none, or it is something else. */
export function readRecording(file: string): Recording {
  if (!existsSync(file)) {
    throw new UsageError(
      `${file} does not exist; make it with check --self-test --record 30 --recording ${file}`,
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`);
  }
  const { schema } = (json ?? {}) as { schema?: unknown };
  if (typeof schema === 'number' && schema !== recordingSchemaNow) {
    throw new UsageError(
      `${file} has schema ${schema}; allowed: schema ${recordingSchemaNow}, which check --self-test --record 30 writes`,
    );
  }
  const parsed = recordingSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `${file} is no recording: ${prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')}`,
  );
}

export function writeRecording(file: string, recording: Recording): void {
  writeWhole(file, `${JSON.stringify(recordingSchema.parse(recording))}\n`);
}
