/** Trial: one stack measured once. Starts fresh parts, drives them through the phases, and ends every one of them. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { callLimitMs } from '../patterns/call-limit.ts';
import { deriveSeed } from '../patterns/random.ts';
import { CanaryThread } from './canary-thread.ts';
import { cpuTicks, stolenShare } from './cpu-accounts.ts';
import { GatewayThread } from './gateway-thread.ts';
import { readLedger } from './ledger.ts';
import type { TrialTimes } from './load-plan.ts';
import { LoadThreads } from './load-threads.ts';
import type { MeasuredStack } from './measured-stack.ts';
import { startMetronome } from './metronome.ts';
import { type OrderStory, orderStories } from './order-stories.ts';
import type { RateLimitPlan } from './rate-limit-plan.ts';
import { stepMs } from './recorder-steps.ts';
import type { Trial } from './result.ts';
import type { RunOptions } from './run-options.ts';
import { planArrivals } from './schedule.ts';
import type { StartGate } from './start-gate.ts';
import { startSupervisorLink, type SupervisorLink, type SupervisorLinkOptions } from './supervisor-link.ts';
import { frozenMsOf, targetEntry } from './target-options.ts';
import { isExternal, type Target } from './target-plan.ts';
import { monotonicMs } from './time.ts';
import { type TrialProgress, TrialProgressMeter } from './trial-progress.ts';
import { type TrialRecords, trialResult } from './trial-result.ts';
import { startUserService } from './user-service-process.ts';

export interface TrialPlan {
  readonly options: Omit<RunOptions, 'stacks'>;
  readonly stack: MeasuredStack;
  readonly sequence: number;
  readonly seed: number;
  /** A folder for what is not kept. */
  readonly scratchDir: string;
}

export interface MeasuredTrial {
  readonly result: Trial;
  /** One per order of the window; empty unless asked for. */
  readonly stories: readonly OrderStory[];
}

export interface TrialHooks {
  readonly interrupt: AbortSignal;
  readonly onProgress: (progress: TrialProgress) => void;
  /** Waits, when all parts are ready, until the trial may begin. */
  readonly startGate?: StartGate | undefined;
}

/** After the window, what is under way may take as long as its stack allows, and this much for the way back. */
const drainMarginMs = 200;
/** But no longer than this: who retries for minutes is counted as in flight at the end. */
const drainMaxMs = 30_000;
/** Between the moment when all parts are ready and the first request. */
const leadMs = 30;

/**
 * Runs the trial. Null: interrupted before its window began. Whatever happens, no thread, process or port of the trial
 * is left afterwards.
 *
 * @throws UsageError or Error of one line if a part cannot be started, or the service cannot be started again
 */
export async function runTrial(plan: TrialPlan, hooks: TrialHooks): Promise<MeasuredTrial | null> {
  const progress = new TrialProgressMeter(plan.stack.name, plan.options.target, hooks.onProgress);
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    return await measure(plan, hooks, progress, (cleanup) => cleanups.push(cleanup));
  } catch (error) {
    if (error !== interrupted) throw error;
    return null;
  } finally {
    progress.end();
    // Each of them, whatever became of the others, and of the trial.
    await Promise.allSettled(cleanups.map((cleanup) => cleanup()));
  }
}

/** Thrown by the wait for a part that starts, when the user interrupts. */
const interrupted = new Error('interrupted');

/** The part, or `interrupted` at once. The part itself is ended by its cleanup. */
function unlessInterrupted<T>(interrupt: AbortSignal, starts: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => {
      reject(interrupted);
    };
    if (interrupt.aborted) give();
    interrupt.addEventListener('abort', give, { once: true });
    void starts.then(resolve, reject).finally(() => {
      interrupt.removeEventListener('abort', give);
    });
  });
}

async function measure(
  { options, stack, sequence, seed, scratchDir }: TrialPlan,
  { interrupt, startGate }: TrialHooks,
  progress: TrialProgressMeter,
  atEnd: (cleanup: () => Promise<unknown>) => void,
): Promise<MeasuredTrial | null> {
  const startedAt = new Date();
  progress.phase('starting', 0);
  const dueMs =
    options.load.kind === 'open'
      ? planArrivals({ ...options.load, durationMs: options.warmupMs + options.durationMs, seed })
      : new Float64Array(0);
  const ledgerPath = path.join(scratchDir, `ledger-${sequence}.ndjson`);

  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // Heard only while the trial waits for something.
  failed.catch(() => undefined);

  // All parts load their code at the same time; the service, which comes after its supervisor, is the last to be ready.
  const supervisorStarts = startService(options.target, seed, {
    ledgerPath,
    scratchDir,
    port: options.targetPort === 0 ? undefined : options.targetPort,
    cancelled: interrupt,
    onSample: (sample) => {
      progress.targetSample(sample);
    },
    onBroken: fail,
  });
  atEnd(() => stopStarted(supervisorStarts));
  // Heard below: the metronome is ready long before, and the canary loads its code meanwhile.
  supervisorStarts.catch(() => undefined);
  const gateway = new GatewayThread((sample) => {
    progress.gatewaySample(sample);
  }, fail);
  atEnd(() => gateway.end());
  const load = new LoadThreads(options.loadThreads);
  atEnd(() => load.end());
  const metronomeStarts = startMetronome({
    dueMs,
    workers: options.loadThreads,
    loops: options.loadThreads + 2,
    onFailed: fail,
  });
  atEnd(() => stopStarted(metronomeStarts));
  const userServiceStarts = startUserService(fail);
  atEnd(() => stopStarted(userServiceStarts));
  userServiceStarts.catch(() => undefined);
  const metronome = await unlessInterrupted(interrupt, metronomeStarts);
  const [gatewayPulses, canaryPulses, ...loadPulses] = metronome.pulses;
  if (gatewayPulses === undefined || canaryPulses === undefined)
    throw new Error('the metronome has too few ports');
  const canary = new CanaryThread(canaryPulses);
  atEnd(() => canary.end());
  const supervisor = await unlessInterrupted(interrupt, supervisorStarts);
  const gatewayStarts = gateway.start({
    stack,
    seed: deriveSeed(seed, 'gateway'),
    origins: { payments: supervisor.origin, users: originOf(await userServiceStarts) },
    port: options.gatewayPort,
    rateLimit: options.rateLimit && ownCounts(options.rateLimit),
    sampleEveryMs: stepMs,
    attemptsById: options.orders,
    pulses: gatewayPulses,
  });
  const [gatewayPort] = await unlessInterrupted(interrupt, Promise.all([gatewayStarts, canary.ready]));

  const loadReady = load.prepare({
    gatewayPort,
    shape: options.load,
    dueMs,
    inFlightMax: options.inFlightMax,
    ticks: metronome.ticks,
    pulses: loadPulses,
    onStep: (step, worker) => {
      progress.loadStep(step, worker);
    },
  });
  await unlessInterrupted(interrupt, loadReady);
  await startGate?.(interrupt);
  if (interrupt.aborted) return null;

  const times = timesFrom(monotonicMs() + leadMs, options, stack);
  progress.follow(times);
  supervisor.beginFaults(times.windowStartMs);
  gateway.measure(times.windowStartMs, times.windowEndMs);
  canary.measure(times.windowStartMs, times.windowEndMs);
  const endEarly = () => {
    load.stopEarly();
    gateway.endWindow(monotonicMs());
    canary.endWindow(monotonicMs());
  };
  interrupt.addEventListener('abort', endEarly, { once: true });
  const ticksBefore = cpuTicks();
  const loadEnds = load.begin(times);
  metronome.start(times.startMs);
  const loadReport = await Promise.race([loadEnds, failed]);
  const stolenCpuShare = stolenShare(ticksBefore, cpuTicks());
  interrupt.removeEventListener('abort', endEarly);
  if (loadReport.windowEndMs <= times.windowStartMs) return null;

  progress.phase('collecting', 0);
  const [gatewayReport, canaryReport] = await Promise.race([
    Promise.all([gateway.stop(), canary.report]),
    failed,
  ]);
  const story = (await supervisor.stop()) ?? null;
  const ledger = isExternal(options.target) ? null : readLedger(ledgerPath);
  const result = trialResult({
    sequence,
    startedAt,
    seed,
    priorities: { generatorRealTime: loadReport.realTime, serviceIdle: supervisor.serviceIdle },
    stolenCpuShare,
    times: { ...times, windowEndMs: loadReport.windowEndMs },
    complete: loadReport.windowEndMs >= times.windowEndMs,
    dueMs: options.load.kind === 'open' ? dueMs : undefined,
    ...expectationsOf(options.target),
    load: loadReport,
    gateway: gatewayReport,
    gatewaySamples: gateway.samples,
    canary: canaryReport,
    canarySamples: canary.samples,
    story,
    ledger,
  });
  return {
    result,
    stories: options.orders
      ? orderStories(loadReport, gatewayReport.attemptsById, ledger, times.windowStartMs)
      : [],
  };
}

type Service = Pick<SupervisorLink, 'beginFaults' | 'serviceIdle'> & {
  readonly origin: string;
  /** Undefined: it has no story that anybody knows. */
  stop(): ReturnType<SupervisorLink['stop']> | Promise<undefined>;
};

/** The payment service with its supervisor; or the user's own, which is there already. */
async function startService(
  target: Target,
  seed: number,
  options: Omit<SupervisorLinkOptions, 'plan'>,
): Promise<Service> {
  if (isExternal(target)) {
    return {
      origin: target.origin,
      serviceIdle: false,
      beginFaults: () => undefined,
      stop: () => Promise.resolve(undefined),
    };
  }
  const link = await startSupervisorLink({
    ...options,
    plan: { ...target, seed: deriveSeed(seed, 'target') },
  });
  return { ...link, origin: originOf(link) };
}

function timesFrom(startMs: number, options: TrialPlan['options'], stack: MeasuredStack): TrialTimes {
  // How long a call through other code may take is not known.
  const limitMs = stack.maker === undefined ? callLimitMs(stack) : Infinity;
  const drainMs = Math.min(limitMs + drainMarginMs, drainMaxMs);
  const windowStartMs = startMs + options.warmupMs;
  const windowEndMs = windowStartMs + options.durationMs;
  return { startMs, windowStartMs, windowEndMs, deadlineMs: windowEndMs + drainMs };
}

function originOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${host}:${port}`;
}

/** What the target is there for. Leaks of 0 turn a leaky one into one that lives. */
function expectationsOf(target: Target): Pick<TrialRecords, 'dies' | 'frozenMs' | 'mayConfirmNothing'> {
  if (isExternal(target)) return { dies: false, frozenMs: 0, mayConfirmNothing: false };
  const { dies, mayConfirmNothing } = targetEntry(target.fault.name);
  const leaks = target.leakBytes > 0 || target.idleLeakBytesPerS > 0;
  return {
    dies: target.fault.name === 'leaky' ? leaks : dies,
    frozenMs: frozenMsOf(target.fault),
    mayConfirmNothing,
  };
}

/** Each trial counts for itself, whatever earlier ones have left in the same Redis. */
function ownCounts(plan: RateLimitPlan): RateLimitPlan {
  return plan.redis === null
    ? plan
    : { ...plan, redis: { ...plan.redis, keyPrefix: `${plan.redis.keyPrefix}${randomUUID()}:` } };
}

/** Stops a part that may still be starting, or may have failed to. */
async function stopStarted(starts: Promise<{ stop(): Promise<unknown> }>): Promise<void> {
  const part = await starts.catch(() => undefined);
  await part?.stop();
}
