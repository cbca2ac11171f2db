import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeHistogram, summarise } from './histogram.ts';
import { LoopDelayProbe } from './loop-delay.ts';
import { type Metronome, startMetronome } from './metronome.ts';
import { monotonicMs } from './time.ts';

let metronome: Metronome | undefined;

afterEach(async () => {
  await metronome?.stop();
});

async function probeOfThisThread(): Promise<LoopDelayProbe> {
  metronome = await startMetronome({ workers: 0, loops: 1 });
  const [port] = metronome.pulses;
  if (port === undefined) throw new Error('no port');
  metronome.start(monotonicMs());
  return new LoopDelayProbe(port);
}

/** Blocks the loop of this thread, and says for how long it really did, in ms. */
function block(forMs: number): number {
  const fromMs = monotonicMs();
  while (monotonicMs() < fromMs + forMs);
  return monotonicMs() - fromMs;
}

describe('a loop delay probe', () => {
  it('sees a block at its own length, weighted by time (case H57)', async () => {
    const probe = await probeOfThisThread();
    const fromMs = Math.ceil(monotonicMs() + 20);
    probe.startWindow(fromMs, fromMs + 900);
    await sleep(50);
    const blockedMs = block(300);
    const report = await probe.report();

    // A third of the window was blocked, so 1 % of the window, 9 ms, lies above the p99; the rest is for a busy host.
    expect(report.delayUs.p99).toBeGreaterThan(blockedMs * 1000 * 0.8);
    expect(report.delayUs.count).toBe(900);
    expect(report.utilization).toBeGreaterThan((blockedMs / 900) * 0.8);
    expect(report.utilization).toBeLessThanOrEqual(1);
    // Node's own measure counts the block once.
    expect(report.sampledDelayUs.max).toBeGreaterThan(blockedMs * 1000 * 0.9);
    expect(summarise(decodeHistogram(report.delay))).toEqual(report.delayUs);
  });

  it('waits for the pulses that a block at the end of the window holds back', async () => {
    const probe = await probeOfThisThread();
    const fromMs = Math.ceil(monotonicMs() + 20);
    probe.startWindow(fromMs, fromMs + 200);
    await sleep(100);
    block(300);
    const { delayUs } = await probe.report();
    expect(delayUs.count).toBe(200);
  });

  it('reports at once when its window is ended before it has begun', async () => {
    const probe = await probeOfThisThread();
    const nowMs = monotonicMs();
    probe.startWindow(nowMs + 3_600_000, nowMs + 3_700_000);
    probe.endWindow(nowMs);
    expect((await probe.report()).delayUs.count).toBe(0);
  });

  it('reports early when its window is ended early', async () => {
    const probe = await probeOfThisThread();
    const fromMs = monotonicMs();
    probe.startWindow(fromMs, fromMs + 3_600_000);
    await sleep(50);
    const endMs = monotonicMs();
    probe.endWindow(endMs);
    const { delayUs } = await probe.report();
    expect(delayUs.count).toBeLessThanOrEqual(Math.ceil(endMs - fromMs) + 1);
    expect(delayUs.count).toBeGreaterThan(0);
  });

  it('reports when the metronome ends', async () => {
    const probe = await probeOfThisThread();
    probe.startWindow(monotonicMs(), Infinity);
    await sleep(50);
    await metronome?.stop();
    expect((await probe.report()).delayUs.count).toBeGreaterThan(0);
  });

  it('counts the garbage collections of the window, and only those', async () => {
    const probe = await probeOfThisThread();
    const fromMs = monotonicMs();
    probe.startWindow(fromMs, fromMs + 3_600_000);
    makeGarbage();
    const endMs = monotonicMs();
    probe.endWindow(endMs);
    makeGarbage();
    const { gcMs } = await probe.report();
    expect(gcMs).toBeGreaterThan(0);
    expect(gcMs).toBeLessThan(endMs - fromMs);
  });
});

/** Allocates some 200 MB, far more than fits into the young generation. */
function makeGarbage(): void {
  let kept: unknown[] = [];
  for (let round = 0; round < 50; round += 1) {
    kept = Array.from({ length: 50_000 }, (_, index) => ({ index, before: kept.length }));
  }
  expect(kept).toHaveLength(50_000);
}
