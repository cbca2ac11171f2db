/** Kit: a small but complete trial and result for tests of what is made from them. */
import { createHistogram, encodeHistogram, recordUs, summarise } from './histogram.ts';
import type { Result, Trial, WatchedTrial } from './result.ts';

/** A trial whose 100 orders, bystanders, calls of the user service and loop delays took 1..100 times `unitUs`, beside a canary of 1..100 µs. */
export function sampleTrial(unitUs: number, change: Partial<WatchedTrial> = {}): WatchedTrial {
  const histogram = createHistogram();
  const quiet = createHistogram();
  for (let value = 1; value <= 100; value++) {
    recordUs(histogram, value * unitUs);
    recordUs(quiet, value);
  }
  const empty = createHistogram();
  const encoded = encodeHistogram(histogram);
  const distribution = summarise(histogram);
  const none = summarise(empty);
  return {
    sequence: 0,
    startedAt: '2026-01-02T03:04:05.000Z',
    seed: 1,
    priorities: { generatorRealTime: true, serviceIdle: true },
    stolenCpuShare: 0,
    valid: true,
    invalidReasons: [],
    complete: true,
    windowMs: 10_000,
    orders: {
      offered: 100,
      skipped: 0,
      confirmed: 90,
      failed: 10,
      inFlightAtEnd: 0,
      byOutcome: { timeout: 10 },
      errorRate: 0.1,
      throughputPerS: 10,
      goodputPerS: 9,
      responseUs: distribution,
      confirmedUs: distribution,
      failedUs: none,
      serviceUs: distribution,
      latenessUs: summarise(quiet),
    },
    bystander: {
      offered: 100,
      skipped: 0,
      confirmed: 100,
      failed: 0,
      inFlightAtEnd: 0,
      byOutcome: {},
      responseUs: distribution,
    },
    users: {
      offered: 100,
      skipped: 0,
      confirmed: 99,
      failed: 1,
      inFlightAtEnd: 0,
      byOutcome: { timeout: 1 },
      errorRate: 0.01,
      responseUs: distribution,
      events: { timeout: 1 },
    },
    upstream: { orders: 100, attempts: 100, amplification: 1, zombies: 0, stackCostNs: 900, retryCrowd: 0 },
    payments: { charged: 90, duplicates: 0, phantoms: 0, lost: 0, tornLines: 0 },
    eventLoop: {
      delayUs: distribution,
      sampledDelayUs: { p50: 1000, p99: 1100, max: 2000 },
      utilization: 0.2,
      gcMs: 12.5,
      cpuMs: 2000,
      canaryDelayUs: summarise(quiet),
      generatorDelayUs: summarise(quiet),
    },
    target: {
      starts: [{ atMs: -3500, spawnedAtMs: -4000 }],
      exits: [
        { atMs: 5000, code: 134, signal: 'SIGABRT', reason: 'out-of-memory', rssBytes: 1e8, uptimeMs: 8500 },
      ],
      deaths: 1,
      downMs: 1500,
    },
    events: { timeout: 10 },
    breaker: null,
    timeline: [],
    histograms: {
      orders: { all: encoded, confirmed: encoded, failed: encodeHistogram(empty), service: encoded },
      bystander: { all: encoded },
      users: { all: encoded },
      loopDelay: { gateway: encoded, canary: encodeHistogram(quiet) },
    },
    ...change,
  };
}

/** A result of one trial per stack, or of several, one in each round. */
export function sampleResult(trials: Readonly<Record<string, Trial | readonly Trial[]>>): Result {
  const stacks = Object.entries(trials);
  return {
    schema: 1,
    id: '20260102T030405Z-sample',
    startedAt: '2026-01-02T03:04:05.000Z',
    complete: true,
    seed: 1,
    options: { pattern: Object.keys(trials).join(',') },
    command: 'npx wavetank run',
    arguments: [],
    host: {
      node: 'v20.20.2',
      platform: 'linux x64',
      cpu: 'sample',
      cores: 2,
      memoryBytes: 1e9,
      loadAverage: 0,
      wavetank: '0.1.0',
      commit: null,
    },
    stacks: stacks.map(([name, ofStack], place) => ({
      name,
      madeBy: 'wavetank',
      layers: [{ name: 'timeout', options: { limitMs: 3000, abort: true } }],
      pools: { connectionsMax: 100, idleMax: 20, shared: false },
      trials: [ofStack].flat().map((trial, round) => ({ ...trial, sequence: round * stacks.length + place })),
    })),
  };
}
