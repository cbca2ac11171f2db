/**
 * Result: what a run leaves behind. Every table, plot and verdict is made from this alone, so the schema reads files
 * back as strictly as it describes them.
 */
import { z } from 'zod';
import { failureKinds } from '../patterns/outcome.ts';
import { exitReasons } from './life-story.ts';

const count = z.int().nonnegative();
/** Milliseconds relative to the start of the measured window; negative in the warm-up. */
const atMs = z.number();
const durationMs = z.number().nonnegative();
const share = z.number().min(0).max(1);
/** Microseconds, whole. Null where there are too few samples to say. */
const us = z.int().nonnegative().nullable();

/** Percentiles of one HDR histogram, in whole µs. */
export const distributionSchema = z.strictObject({
  count,
  p50: us,
  p90: us,
  p95: us,
  p99: us,
  p999: us,
  max: us,
  mean: us,
});

const failureCounts = z.partialRecord(z.enum(failureKinds), count);

/** What became of the requests of one class. */
const classCounts = {
  /** Arrivals whose intended time lies in the window: confirmed + failed + skipped + in flight at the end. */
  offered: count,
  /** Arrivals that were not sent, because the in-flight cap was reached. */
  skipped: count,
  confirmed: count,
  failed: count,
  inFlightAtEnd: count,
  /** Failures by kind. */
  byOutcome: failureCounts,
};

export const ordersSchema = z.strictObject({
  ...classCounts,
  /** Everything that was offered and not confirmed, over what was offered. */
  errorRate: share,
  /** Answers of any kind per second of the window. */
  throughputPerS: z.number().nonnegative(),
  /** Confirmed orders per second of the window. */
  goodputPerS: z.number().nonnegative(),
  /** From the intended send to the end of the answer; what was still in flight counts with the time it had waited. */
  responseUs: distributionSchema,
  confirmedUs: distributionSchema,
  failedUs: distributionSchema,
  /** From the actual send to the end of the answer. */
  serviceUs: distributionSchema,
  /** From the intended to the actual send, of requests of all classes. */
  latenessUs: distributionSchema,
});

export const bystanderSchema = z.strictObject({
  ...classCounts,
  responseUs: distributionSchema,
});

export const usersSchema = z.strictObject({
  ...classCounts,
  errorRate: share,
  responseUs: distributionSchema,
  /** What the layers between gateway and user service reported in the window, by type. */
  events: z.record(z.string(), count),
});

export const paymentsSchema = z.strictObject({
  /** Distinct orders of the window that the ledger holds. */
  charged: count,
  /** Orders charged more than once. */
  duplicates: count,
  /** Orders charged although their client was not told that they are confirmed. */
  phantoms: count,
  /** Orders confirmed to their client that the ledger does not hold. */
  lost: count,
  /** Lines of the ledger that were cut short, of the warm-up too: dropped, because nobody was told of them. */
  tornLines: count.default(0),
});

export const eventLoopSchema = z.strictObject({
  /** What an event from outside had to wait for, sampled in even steps of time whatever the loop did. */
  delayUs: distributionSchema,
  /** Node's own monitorEventLoopDelay: one sample per turn of a timer, so that a long block counts once. */
  sampledDelayUs: z.strictObject({ p50: us, p99: us, max: us }),
  utilization: share,
  gcMs: durationMs,
  /** CPU time of the gateway's thread. Null: not known, or measured by an older version. */
  cpuMs: durationMs.nullable().default(null),
  /** The same as `delayUs` in a thread that does nothing: the noise floor of this host. */
  canaryDelayUs: distributionSchema,
  /** The same as `delayUs` in the load workers: how far the generator itself can be trusted. */
  generatorDelayUs: distributionSchema,
});

export const targetSchema = z.strictObject({
  /** `atMs`: ready to serve. The first start lies before the warm-up. */
  starts: z.array(z.strictObject({ atMs, spawnedAtMs: atMs })),
  exits: z.array(
    z.strictObject({
      atMs,
      /** As a shell or a container shows it: 128 + the signal's number where a signal ended the process. */
      code: z.int(),
      signal: z.string().nullable(),
      reason: z.enum(exitReasons),
      /** Resident memory when last seen alive. */
      rssBytes: count.nullable(),
      uptimeMs: durationMs,
    }),
  ),
  /** Ends inside the measured window that were not asked for: of its memory, by being killed, or a crash. */
  deaths: count,
  /** How much of the window the service was not there. */
  downMs: durationMs,
});

const breakerState = z.enum(['closed', 'open', 'half-open']);

export const breakerSchema = z.strictObject({
  transitions: z.array(z.strictObject({ atMs, from: breakerState, to: breakerState })),
  /** How much of the window the breaker was open or half-open. */
  openMs: durationMs,
  /** For each death: from it, or from when a `stall` froze, to open; 0 where the breaker was open already. */
  timeToOpenMs: z.array(durationMs),
  /** For each restart that met an open breaker: from ready to closed. */
  timeToRecoverMs: z.array(durationMs),
  /** Of the same restarts: from the first healthy answer to closed. */
  timeToCloseMs: z.array(durationMs).default([]),
});

/** One row per 250 ms. Null: nothing was measured in that step. */
export const timelineRowSchema = z.strictObject({
  atMs,
  offered: count,
  confirmed: count,
  failed: count,
  responseP99Us: us,
  latenessP99Us: us,
  inFlight: count.nullable(),
  breakerState: breakerState.nullable(),
  loopDelayP99Us: us,
  canaryDelayP99Us: us,
  targetUp: z.boolean().nullable(),
  rssBytes: count.nullable(),
  cpuPercent: z.number().nonnegative().nullable(),
});

/** HDR histograms of µs in the V2 compressed encoding, base64. */
export const histogramsSchema = z.strictObject({
  orders: z.strictObject({ all: z.string(), confirmed: z.string(), failed: z.string(), service: z.string() }),
  bystander: z.strictObject({ all: z.string() }),
  users: z.strictObject({ all: z.string() }).nullable().default(null),
  loopDelay: z.strictObject({ gateway: z.string(), canary: z.string() }),
});

export const trialSchema = z.strictObject({
  /** Place in the order in which the trials of all stacks ran, from 0. */
  sequence: count,
  startedAt: z.iso.datetime(),
  seed: count,
  /** Whether the metronome and the load had real-time priority, and the service idle priority. */
  priorities: z.strictObject({ generatorRealTime: z.boolean(), serviceIdle: z.boolean() }),
  /** Share of the host's CPU time that a hypervisor gave to others meanwhile. Null: not known. */
  stolenCpuShare: share.nullable().default(null),
  /** False: do not compare it; `invalidReasons` says why. */
  valid: z.boolean(),
  invalidReasons: z.array(z.string()),
  /** False: interrupted, the window is shorter than asked for. */
  complete: z.boolean(),
  windowMs: durationMs,
  orders: ordersSchema,
  /** `GET /catalog`, which needs the gateway alone. */
  bystander: bystanderSchema,
  /** `GET /users/:id`, which needs the user service too. Null: measured before there was one. */
  users: usersSchema.nullable().default(null),
  upstream: z.strictObject({
    /** Orders of the window that reached the gateway and passed its rate limits. */
    orders: count,
    /** Calls of the payment service on their behalf; a call that never got a socket is none. */
    attempts: count,
    /** Attempts per order. */
    amplification: z.number().nonnegative(),
    /** Attempts that went on although their caller had been answered. */
    zombies: count,
    /** What a call through the layers costs by itself, in ns. Null: measured by an older version. */
    stackCostNs: count.nullable().default(null),
    /** How many retries were due within 5 ms of the average one of them, itself included. Null: measured by an older version. */
    retryCrowd: z.number().nonnegative().nullable().default(null),
  }),
  /** Null: the service is the user's own, and its ledger not known. */
  payments: paymentsSchema.nullable(),
  eventLoop: eventLoopSchema,
  /** Null: the service is the user's own, and nobody watches it. */
  target: targetSchema.nullable(),
  /** What the layers between gateway and payment service, and the rate limits, reported in the window, by type. */
  events: z.record(z.string(), count),
  /** Null: the stack has no breaker. */
  breaker: breakerSchema.nullable(),
  timeline: z.array(timelineRowSchema),
  histograms: histogramsSchema,
});

const optionValue = z.union([z.number(), z.string(), z.boolean()]);

export const stackSchema = z.strictObject({
  name: z.string(),
  /** Whose layers they are, with the version, or the user's own module. Null: measured by an older version. */
  madeBy: z.string().nullable().default(null),
  /** Outermost first. Of a module: those behind it. */
  layers: z.array(z.strictObject({ name: z.string(), options: z.record(z.string(), optionValue) })),
  /** The connection pools behind the layers. Null: measured before they could be set. */
  pools: z.record(z.string(), optionValue).nullable().default(null),
  trials: z.array(trialSchema),
});

export const resultSchema = z.strictObject({
  schema: z.literal(1),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** False: interrupted before all trials were done. */
  complete: z.boolean(),
  seed: count,
  /** The options of the command, with their defaults. */
  options: z.record(z.string(), z.union([optionValue, z.null(), z.array(z.string())])),
  /** The command that repeats the run. */
  command: z.string(),
  /** The arguments in it. Null: measured by an older version. */
  arguments: z.array(z.string()).nullable().default(null),
  host: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpu: z.string(),
    cores: count,
    memoryBytes: count,
    loadAverage: z.number().nonnegative(),
    wavetank: z.string(),
    /** Null: not a git checkout. */
    commit: z.string().nullable(),
  }),
  stacks: z.array(stackSchema),
});

export type Distribution = z.infer<typeof distributionSchema>;
export type Trial = z.infer<typeof trialSchema>;
/** A trial of a service that was started and watched here. */
export type WatchedTrial = Trial & { readonly payments: Payments; readonly target: TargetResult };
export type TimelineRow = z.infer<typeof timelineRowSchema>;
export type StackResult = z.infer<typeof stackSchema>;
export type Result = z.infer<typeof resultSchema>;
export type Payments = z.infer<typeof paymentsSchema>;
export type TargetResult = z.infer<typeof targetSchema>;
export type BreakerResult = z.infer<typeof breakerSchema>;
