/** Metronome: starts the metronome's thread, and holds its ports and its stop flag. */
import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { startThread } from './entry.ts';
import type { MetronomePlan, ToMetronome } from './load-plan.ts';

export interface Metronome {
  /** For load workers: `OpenLoop.ticks`, one for each. */
  readonly ticks: readonly MessagePort[];
  /** For `LoopDelayProbe`s, one for each loop that is observed. */
  readonly pulses: readonly MessagePort[];
  /** Begins at `startMs` (`monotonicMs`), once. */
  start(startMs: number): void;
  /** Sends the last pulses and ends the thread; resolves when it is gone. Nothing happens the second time. */
  stop(): Promise<void>;
}

/**
 * Starts the thread and waits until it is ready to beat.
 *
 * @param options.dueMs The schedule (`planArrivals`); absent in a closed loop.
 * @param options.workers Load workers to wake.
 * @param options.loops Loops to send pulses to.
 */
export async function startMetronome(options: {
  readonly dueMs?: Float64Array;
  readonly workers: number;
  readonly loops: number;
  /** Hears when the thread fails: nothing is sent any more. */
  readonly onFailed?: (error: Error) => void;
}): Promise<Metronome> {
  const ticks = channels(options.workers);
  const pulses = channels(options.loops);
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const plan: MetronomePlan = {
    dueMs: options.dueMs ?? new Float64Array(0),
    ticks: ticks.map((channel) => channel.port1),
    pulses: pulses.map((channel) => channel.port1),
    stop,
  };
  const thread = startThread('workers/metronome', {
    workerData: plan,
    transferList: [...plan.ticks, ...plan.pulses],
  });
  const exited = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      resolve();
    });
  });
  await once(thread, 'message');
  thread.on('error', (error) => {
    options.onFailed?.(error);
  });
  return {
    ticks: ticks.map((channel) => channel.port2),
    pulses: pulses.map((channel) => channel.port2),
    start(startMs) {
      thread.postMessage({ startMs } satisfies ToMetronome);
    },
    async stop() {
      Atomics.store(stop, 0, 1);
      Atomics.notify(stop, 0);
      // A metronome that never started waits for its message.
      thread.postMessage({ startMs: Infinity } satisfies ToMetronome);
      await exited;
    },
  };
}

function channels(count: number): MessageChannel[] {
  return Array.from({ length: count }, () => new MessageChannel());
}
