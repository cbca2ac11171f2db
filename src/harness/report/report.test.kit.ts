/** Kit: results with several trials, timelines, deaths and a breaker, for tests of the report. */
import { createHistogram, encodeHistogram, recordUs } from '../histogram.ts';
import type { Result, TimelineRow, Trial, WatchedTrial } from '../result.ts';
import { sampleResult, sampleTrial } from '../trial.test.kit.ts';

/** A result with the given trials of each stack, in turns. */
export function resultOf(trials: Readonly<Record<string, readonly Trial[]>>): Result {
  const names = Object.keys(trials);
  return {
    ...sampleResult({}),
    options: { pattern: names.join(','), loop: 'open', ratePerS: 20, durationMs: 10_000, warmupMs: 2000 },
    stacks: names.map((name, place) => ({
      name,
      madeBy: 'wavetank',
      layers: [{ name: 'timeout', options: { limitMs: 3000, abort: true } }],
      pools: { connectionsMax: 100, idleMax: 20, shared: false },
      trials: (trials[name] ?? []).map((trial, round) => ({
        ...trial,
        sequence: round * names.length + place,
      })),
    })),
  };
}

/** A trial of 10 s whose service dies at 5 s and is back at 6.5 s; its 100 orders took 1..100 times `unitUs`. */
export function lifelikeTrial(unitUs: number, change: Partial<WatchedTrial> = {}): WatchedTrial {
  const sample = sampleTrial(unitUs);
  const failed = createHistogram();
  for (let value = 1; value <= 10; value += 1) recordUs(failed, value * unitUs * 3);
  const calm = sampleTrial(5);
  return {
    ...sample,
    eventLoop: { ...sample.eventLoop, canaryDelayUs: calm.eventLoop.canaryDelayUs },
    target: { ...sample.target, starts: [...sample.target.starts, { atMs: 6500, spawnedAtMs: 6000 }] },
    events: { timeout: 10, retry: 4 },
    timeline: Array.from({ length: 52 }, (_, index) => rowAt(index * 250 - 2000, unitUs)),
    histograms: {
      ...sample.histograms,
      orders: { ...sample.histograms.orders, failed: encodeHistogram(failed) },
      loopDelay: { ...sample.histograms.loopDelay, canary: calm.histograms.loopDelay.canary },
    },
    ...change,
  };
}

/** What a stack with a breaker has besides. */
export const openedBreaker: NonNullable<Trial['breaker']> = {
  transitions: [
    { atMs: 5100, from: 'closed', to: 'open' },
    { atMs: 6600, from: 'open', to: 'half-open' },
    { atMs: 6900, from: 'half-open', to: 'closed' },
  ],
  openMs: 1800,
  timeToOpenMs: [100],
  timeToRecoverMs: [400],
  timeToCloseMs: [150],
};

/** A trial of which nothing was measured at all. */
export function emptyTrial(change: Partial<WatchedTrial> = {}): WatchedTrial {
  const sample = sampleTrial(1);
  const none = encodeHistogram(createHistogram());
  return {
    ...sample,
    valid: false,
    invalidReasons: ['no order was confirmed: the system never worked in the window'],
    orders: { ...sample.orders, offered: 0, confirmed: 0, failed: 0, byOutcome: {}, errorRate: 0 },
    events: {},
    timeline: [],
    histograms: {
      orders: { all: none, confirmed: none, failed: none, service: none },
      bystander: { all: none },
      users: { all: none },
      loopDelay: { gateway: none, canary: none },
    },
    ...change,
  };
}

function rowAt(atMs: number, unitUs: number): TimelineRow {
  const up = atMs < 5000 || atMs >= 6000;
  const wave = 1 + Math.abs(Math.sin(atMs / 700));
  return {
    atMs,
    offered: 5,
    confirmed: up ? 4 : 0,
    failed: up ? 1 : 5,
    responseP99Us: up ? Math.round(unitUs * 90 * wave) : null,
    latenessP99Us: 100,
    inFlight: Math.round(10 * wave),
    breakerState: null,
    loopDelayP99Us: Math.round(unitUs * wave),
    canaryDelayP99Us: Math.round(300 * wave),
    targetUp: up,
    rssBytes: up ? 60_000_000 + ((atMs + 2000) % 7000) * 8000 : null,
    cpuPercent: up ? 60 : null,
  };
}
