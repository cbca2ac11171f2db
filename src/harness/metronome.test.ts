import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type Metronome, startMetronome } from './metronome.ts';
import { beatAt, lastPulse } from './pulse.ts';
import { planArrivals } from './schedule.ts';
import { monotonicMs } from './time.ts';

let metronome: Metronome | undefined;

afterEach(async () => {
  await metronome?.stop();
});

/** Everything that arrives at a port until it is closed. */
async function received(port: MessagePort): Promise<number[]> {
  const messages: number[] = [];
  port.on('message', (message: number) => messages.push(message));
  await once(port, 'close');
  return messages;
}

describe('the metronome', () => {
  it('ticks each worker for each of its arrivals, never early', async () => {
    const dueMs = planArrivals({ ratePerS: 200, arrivals: 'poisson', durationMs: 500, seed: 3 });
    metronome = await startMetronome({ dueMs, workers: 2, loops: 0 });
    const ticks = metronome.ticks.map(received);
    const startMs = monotonicMs() + 20;
    metronome.start(startMs);
    await sleep(700);
    await metronome.stop();

    for (const [worker, moments] of (await Promise.all(ticks)).entries()) {
      const own = [...dueMs].filter((_, index) => index % 2 === worker).map((due) => startMs + due);
      expect(own.length).toBeGreaterThan(0);
      // A tick covers what came due since the one before, so each tick has an arrival of this worker behind it.
      let covered = 0;
      for (const moment of moments) {
        const before = covered;
        while ((own[covered] ?? Infinity) <= moment) covered += 1;
        expect(covered).toBeGreaterThan(before);
      }
      expect(covered).toBe(own.length);
    }
  });

  it('puts what is due within the same fraction of a millisecond into one tick', async () => {
    const dueMs = planArrivals({ ratePerS: 100_000, arrivals: 'constant', durationMs: 200, seed: 1 });
    metronome = await startMetronome({ dueMs, workers: 1, loops: 0 });
    const ticks = metronome.ticks.map(received);
    metronome.start(monotonicMs());
    await sleep(400);
    await metronome.stop();
    const moments = (await Promise.all(ticks)).flat();
    expect(moments.length).toBeGreaterThan(0);
    expect(moments.every((moment, index) => moment - (moments[index - 1] ?? -Infinity) > 0.149)).toBe(true);
  });

  it('sends each loop at most one pulse per beat, in order, and a last one', async () => {
    metronome = await startMetronome({ workers: 0, loops: 2 });
    const pulses = metronome.pulses.map(received);
    metronome.start(monotonicMs());
    await sleep(200);
    await metronome.stop();
    for (const moments of await Promise.all(pulses)) {
      expect(moments.at(-1)).toBe(lastPulse);
      const beats = moments.slice(0, -1).map(beatAt);
      expect(beats.length).toBeGreaterThan(0);
      expect(beats.every((beat, index) => beat >= (beats[index - 1] ?? -Infinity))).toBe(true);
    }
  });

  it('stops before it was started, and a second time', async () => {
    metronome = await startMetronome({ workers: 1, loops: 1 });
    const last = metronome.pulses.map(received);
    await metronome.stop();
    await metronome.stop();
    expect(await Promise.all(last)).toEqual([[lastPulse]]);
  });

  it('stops at once while it sleeps towards a far moment', async () => {
    const dueMs = new Float64Array([3_600_000]);
    metronome = await startMetronome({ dueMs, workers: 1, loops: 1 });
    metronome.start(monotonicMs() + 3_600_000);
    await metronome.stop();
  });
});
