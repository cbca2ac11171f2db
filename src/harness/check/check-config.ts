/** Check config: what a project settles about its checks in `wavetank.config.ts`, so that nobody has to type it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prettifyError, z } from 'zod';
import { UsageError } from '../../patterns/usage-error.ts';
import { alphaRange } from './check-flags.ts';
import { checkMetricKeys, scenarioNames } from './check-metrics.ts';

export const checkConfigSchema = z.strictObject({
  /** The stack that is measured, as in `--pattern`. */
  pattern: z.string().optional(),
  /** As in `--set`. */
  set: z.array(z.string()).optional(),
  /** Flags of `run` for each scenario, in place of the defaults. */
  scenarios: z.partialRecord(z.enum(scenarioNames), z.string()).optional(),
  /** The smallest effect that matters (`'5%'`, or a number in the metric's unit); false leaves the metric out. */
  metrics: z
    .partialRecord(z.enum(checkMetricKeys), z.union([z.string(), z.number().nonnegative(), z.literal(false)]))
    .optional(),
  /** As in `--limit`. */
  limits: z.array(z.string()).optional(),
  /** As in `--budget`. */
  budget: z.string().optional(),
  /** As in `--alpha`. */
  alpha: z.number().min(alphaRange.min).max(alphaRange.max).optional(),
});

/** What `wavetank.config.ts` exports by default. */
export type CheckConfig = z.infer<typeof checkConfigSchema>;

const fileNames = ['wavetank.config.ts', 'wavetank.config.mjs', 'wavetank.config.js'] as const;

/**
 * Loads the config that is named, or the one in `folder`; an empty one where there is none.
 *
 * @throws {UsageError} If it does not exist, cannot be loaded, or says what cannot be.
 */
export async function loadCheckConfig(named: string | undefined, folder: string): Promise<CheckConfig> {
  const files = (named === undefined ? fileNames : [named]).map((name) => path.resolve(folder, name));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) {
    if (named === undefined) return {};
    throw new UsageError(`--config ${named}: there is no such file`);
  }
  const name = path.relative(folder, file);
  let exported: { default?: unknown };
  try {
    exported = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new UsageError(`${name}: this Node cannot load TypeScript; name it wavetank.config.mjs`);
    }
    throw new UsageError(`${name} cannot be loaded: ${message.replaceAll(/\s+/g, ' ')}`);
  }
  if (exported.default === undefined) {
    throw new UsageError(`${name} has no default export; write: export default { pattern: 'retry+breaker' }`);
  }
  const parsed = checkConfigSchema.safeParse(exported.default);
  if (!parsed.success) {
    throw new UsageError(`${name}: ${prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')}`);
  }
  return parsed.data;
}
