/** Experiment: the trials of one command, interleaved, and the result that they add up to. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deriveSeed } from '../patterns/random.ts';
import { UsageError } from '../patterns/usage-error.ts';
import { describeHost } from './host.ts';
import { MachineError } from './machine-error.ts';
import { makerText, type MeasuredStack } from './measured-stack.ts';
import { ordersCsvHeader, ordersCsvLines } from './order-stories.ts';
import type { Result, Trial } from './result.ts';
import type { RunOptions } from './run-options.ts';
import type { RunStore } from './run-store.ts';
import type { StartGate } from './start-gate.ts';
import { runTrial } from './trial.ts';
import { trialOrder } from './trial-order.ts';
import type { TrialProgress } from './trial-progress.ts';

export interface ExperimentHooks {
  /** Aborted when the user interrupts: what was measured is kept. */
  readonly interrupt: AbortSignal;
  readonly onProgress: (progress: TrialProgress, sequence: number, total: number) => void;
  /** See `TrialHooks`. */
  readonly startGate?: StartGate | undefined;
}

/** What the stacks need is there. */
export type ExperimentOptions = Omit<RunOptions, 'stacks'> & { readonly stacks: readonly MeasuredStack[] };

/** How the run was called. */
export type CommandLine = Pick<Result, 'command'> & { readonly arguments: string[] };

/**
 * Runs all trials and writes the result after each, so that a run that dies has lost no more than one trial.
 * Returns null when it was interrupted before anything was measured; nothing is left on disk then.
 */
export async function runExperiment(
  options: ExperimentOptions,
  { command, arguments: argv }: CommandLine,
  startedAt: Date,
  store: RunStore,
  hooks: ExperimentHooks,
): Promise<Result | null> {
  const trialsByStack: Trial[][] = options.stacks.map(() => []);
  const order = trialOrder(options.stacks.length, options.trials);
  const host = describeHost();
  const resultSoFar = (): Result => ({
    schema: 1,
    id: store.id,
    startedAt: startedAt.toISOString(),
    complete: trialsByStack.flat().filter((trial) => trial.complete).length === order.length,
    seed: options.seed,
    options: options.given,
    command,
    arguments: argv,
    host,
    stacks: options.stacks.map((stack, index) => ({
      name: stack.name,
      madeBy: makerText(stack),
      layers: stack.layers.map((layer) => ({ name: layer.name, options: { ...layer.options } })),
      pools: { ...stack.pools },
      trials: trialsByStack[index] ?? [],
    })),
  });

  let scratchDir: string | undefined;
  let written = false;
  try {
    scratchDir = makeScratchDir();
    for (const [sequence, stackIndex] of order.entries()) {
      const stack = options.stacks[stackIndex];
      if (stack === undefined || hooks.interrupt.aborted) break;
      const round = Math.floor(sequence / options.stacks.length);
      const trial = await runTrial(
        // All stacks of a round meet the same arrivals.
        { options, stack, sequence, seed: deriveSeed(options.seed, `round ${round}`), scratchDir },
        {
          interrupt: hooks.interrupt,
          startGate: hooks.startGate,
          onProgress: (progress) => {
            hooks.onProgress(progress, sequence, order.length);
          },
        },
      );
      if (trial === null) break;
      trialsByStack[stackIndex]?.push(trial.result);
      store.writeResult(resultSoFar());
      written = true;
      if (options.orders) {
        const header = sequence === 0 ? `${ordersCsvHeader}\r\n` : '';
        store.appendFile('orders.csv', header + ordersCsvLines(stack.name, sequence, trial.stories));
      }
    }
  } catch (error) {
    // Foreseen errors are told in one line, which is where whoever reads it learns what is left.
    if (written && (error instanceof UsageError || error instanceof MachineError))
      error.message += `; the trials before that are in ${store.dir}/result.json`;
    throw error;
  } finally {
    if (scratchDir !== undefined) rmSync(scratchDir, { recursive: true, force: true });
    if (!written) store.discard();
  }
  return trialsByStack.flat().length === 0 ? null : resultSoFar();
}

/** For ledgers, which are not kept. */
function makeScratchDir(): string {
  try {
    return mkdtempSync(path.join(os.tmpdir(), 'wavetank-'));
  } catch (error) {
    throw new MachineError(`no temporary folder can be made: ${(error as Error).message}`);
  }
}
