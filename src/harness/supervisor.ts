/** Supervisor: starts the payment service, watches it, starts it again when it dies, and keeps its life story. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../patterns/usage-error.ts';
import { openFrontDoor } from './front-door.ts';
import {
  type ExitReason,
  type ExitRecord,
  exitReason,
  type LifeStory,
  type StartRecord,
  shownCode,
  type TargetSample,
} from './life-story.ts';
import { restartDelayMs } from './restart-delay.ts';
import { forgetUsage, residentBytes, usageOf } from './process-usage.ts';
import {
  errorLine,
  type ProcessEnd,
  makeIdle,
  makeOrdinary,
  type ServiceProcess,
  startService,
} from './service-process.ts';
import { targetEntry } from './target-options.ts';
import {
  type FaultsMessage,
  isServiceMessage,
  type ServiceSettings,
  type TargetPlan,
  thrashes,
} from './target-plan.ts';
import { monotonicMs } from './time.ts';
import { mebibyte } from './units.ts';

export interface SupervisorOptions {
  readonly plan: TargetPlan;
  /** Absolute path of the ledger; read at each start, made when it does not exist. */
  readonly ledgerPath: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** How long a start may take until the service is ready, in ms. Default 15,000. */
  readonly startLimitMs?: number | undefined;
  /** Takes the first start back, as long as the service is not ready. */
  readonly cancelled?: AbortSignal | undefined;
  /** Hears every sample, each 250 ms. */
  readonly onSample?: ((sample: TargetSample) => void) | undefined;
  readonly onExit?: ((exit: ExitRecord) => void) | undefined;
  /** Hears, at most once, that the service cannot be started again: the run has lost its target. `stop()` is still due. */
  readonly onBroken?: ((error: Error) => void) | undefined;
}

export type TargetState = 'up' | 'down' | 'stopped';

export interface Supervisor {
  readonly host: string;
  /** The service's port for life. */
  readonly port: number;
  /** Whether the service runs at idle priority. */
  readonly serviceIdle: boolean;
  /** The service is well until this moment (`monotonicMs()`), and fails as its plan says from then on. Said once. */
  beginFaults(fromMs: number): void;
  state(): TargetState;
  /** A copy of what has happened so far. */
  story(): LifeStory;
  latestSample(): TargetSample | undefined;
  /** Connections held while the service is down (`down: 'hang'`). */
  heldConnections(): number;
  /** Ends the service and the address; resolves when nothing is left of either. May be called again. */
  stop(): Promise<LifeStory>;
}

const sampleEveryMs = 250;
/** At 32 MB/s, which the default load leaks, a limit is overrun by less than 1 MB in this time. */
const watchEveryMs = 25;
/** After the first good start this many bad ones in a row end the run. */
const badStartsMax = 3;
/** The service does not handle SIGTERM, so it dies at once. This is for a system that is in trouble itself. */
const killAfterMs = 2000;
/**
 * Starts the service and waits until it is ready.
 *
 * @throws UsageError if the plan or the port is impossible
 * @throws Error of one line if the service does not become ready, or is not wanted any more; nothing is left running then
 */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { plan, ledgerPath, startLimitMs = 15_000 } = options;
  checkPlan(plan);
  const door = await openFrontDoor({
    down: plan.down,
    port: options.port,
    onLost: (error) => options.onBroken?.(error),
  });
  let faultsFromMs: number | null = null;
  const killAtBytes = killAtBytesOf(plan);

  const starts: StartRecord[] = [];
  const exits: ExitRecord[] = [];
  const samples: TargetSample[] = [];
  const stopped = new AbortController();
  const stopping = (): boolean => stopped.signal.aborted;
  let current: ServiceProcess | undefined;
  let up: StartRecord | undefined;
  let rssBytes: number | null = null;
  let killedAtLimit = false;
  let serviceIdle = false;
  let tornLines = 0;
  let ledgerError: string | null = null;

  const sawMemory = (bytes: number): void => {
    // A reading that was under way when it was killed is older than the one that it was killed for.
    if (killedAtLimit) return;
    rssBytes = bytes;
    if (plan.leak !== 'rss' || bytes < killAtBytes || current === undefined) return;
    killedAtLimit = true;
    current.child.kill('SIGKILL');
  };

  const watcher = setInterval(() => {
    const bytes = current && residentBytes(current.pid);
    if (bytes !== undefined) sawMemory(bytes);
  }, watchEveryMs).unref();

  const sample = async (): Promise<void> => {
    const asked = current;
    const usage = asked && (await usageOf(asked.pid));
    const alive = usage !== undefined && asked === current;
    if (alive) sawMemory(usage.rssBytes);
    if (stopping()) return;
    const taken: TargetSample = {
      atMs: monotonicMs(),
      rssBytes: alive ? usage.rssBytes : null,
      cpuPercent: alive ? usage.cpuPercent : null,
      up: alive && up !== undefined,
    };
    samples.push(taken);
    options.onSample?.(taken);
  };
  const sampler = setInterval(() => void sample(), sampleEveryMs).unref();

  /** One life of the service. Resolves at its death with how it went. */
  const live = async (onReady: () => void): Promise<Life> => {
    rssBytes = null;
    killedAtLimit = false;
    let started: StartRecord | undefined;
    const service = await startService({
      settings: settingsOf(plan, ledgerPath, faultsFromMs),
      heapBytes: plan.heapBytes,
      startLimitMs,
      onExit() {
        current = undefined;
        up = undefined;
      },
    });
    current = service;
    const { pid, spawnedAtMs } = service;
    service.child.on('message', (message) => {
      if (isServiceMessage(message, 'torn')) tornLines += 1;
      if (isServiceMessage(message, 'unwritable')) ledgerError ??= message.reason;
    });
    if (stopping()) void endService(service);
    if (await service.ready) {
      if (thrashes(plan)) serviceIdle = await makeIdle(pid);
      else makeOrdinary(pid);
      await door.serve(service.child);
      // Asked again, because it may have died while the port was being opened.
      if (current === service) {
        started = { atMs: monotonicMs(), spawnedAtMs, pid };
        up = started;
        starts.push(started);
        onReady();
      }
    }
    const end = await service.ended;
    const exit: ExitRecord = {
      atMs: end.atMs,
      pid,
      code: end.code,
      signal: end.signal,
      shownCode: shownCode(end.code, end.signal),
      reason: exitReason({
        ...end,
        stopping: stopping(),
        killedAtLimit,
        killedByFault: faultsFromMs !== null && targetEntry(plan.fault.name).killsItself,
      }),
      rssBytes,
      uptimeMs: started === undefined ? 0 : end.atMs - started.atMs,
    };
    exits.push(exit);
    options.onExit?.(exit);
    return { wasReady: started !== undefined, end, reason: exit.reason, ranMs: end.atMs - spawnedAtMs };
  };

  /** Lives one after the other, until stopped or until it cannot be started. */
  const run = async (onReady: () => void): Promise<void> => {
    let delayMs = 0;
    let badStarts = 0;
    while (!stopping()) {
      const life = await live(onReady);
      if (stopping()) return;
      badStarts = life.wasReady ? 0 : badStarts + 1;
      if (!life.wasReady && (starts.length === 0 || badStarts === badStartsMax)) {
        throw new Error(`the payment service cannot be started (${whyNot(life, plan, startLimitMs)})`);
      }
      delayMs = restartDelayMs(plan.restart, delayMs, life.ranMs);
      await sleep(delayMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };

  const story = (): LifeStory => ({
    starts: [...starts],
    exits: [...exits],
    samples: [...samples],
    tornLines,
    ledgerError,
  });

  const end = async (): Promise<LifeStory> => {
    stopped.abort();
    if (current !== undefined) await endService(current);
    await running;
    clearInterval(watcher);
    clearInterval(sampler);
    door.close();
    forgetUsage();
    return story();
  };
  let ending: Promise<LifeStory> | undefined;
  const stop = (): Promise<LifeStory> => (ending ??= end());

  let running: Promise<void> = Promise.resolve();
  const failure = await new Promise<Error | undefined>((settle) => {
    const cancel = () => {
      settle(new Error('the start of the payment service was taken back'));
    };
    if (options.cancelled?.aborted === true) cancel();
    options.cancelled?.addEventListener('abort', cancel, { once: true });
    running = run(() => {
      settle(undefined);
    }).catch((error: unknown) => {
      // Before the first readiness it is the answer to the caller, later there is the callback.
      if (starts.length === 0) settle(error as Error);
      else options.onBroken?.(error as Error);
    });
  });
  if (failure !== undefined) {
    await stop();
    throw failure;
  }

  return {
    host: door.host,
    port: door.port,
    serviceIdle,
    beginFaults(fromMs) {
      faultsFromMs = fromMs;
      const message: FaultsMessage = { type: 'faults', fromMs };
      current?.child.send(message, () => undefined);
    },
    state: () => (stopping() ? 'stopped' : up === undefined ? 'down' : 'up'),
    story,
    latestSample: () => samples.at(-1),
    heldConnections: () => door.heldCount(),
    stop,
  };
}

/** How one run of the service went. */
interface Life {
  readonly wasReady: boolean;
  readonly end: ProcessEnd;
  readonly reason: ExitReason;
  /** From its creation to its death. */
  readonly ranMs: number;
}

function whyNot(life: Life, plan: TargetPlan, startLimitMs: number): string {
  if (life.reason === 'memory-limit') {
    return `it needs more than the memory limit of ${killAtBytesOf(plan) / mebibyte} MB before it is ready`;
  }
  return life.ranMs >= startLimitMs ? `not ready after ${startLimitMs} ms` : errorLine(life.end);
}

/** Resident memory at which a service that leaks Buffers is killed. */
function killAtBytesOf({ memoryLimitBytes, swapBytes }: TargetPlan): number {
  return memoryLimitBytes + swapBytes;
}

function settingsOf(plan: TargetPlan, ledgerPath: string, faultsFromMs: number | null): ServiceSettings {
  const { fault, seed, keyRequired, leak, leakBytes, idleLeakBytesPerS } = plan;
  const { memoryLimitBytes, swapBytes, swapBytesPerS } = plan;
  const swaps = leak === 'rss' && swapBytes > 0;
  return {
    fault,
    seed,
    keyRequired,
    leak,
    leakBytes,
    idleLeakBytesPerS,
    ledgerPath,
    faultsFromMs,
    ...(swaps ? { swap: { limitBytes: memoryLimitBytes, bytesPerS: swapBytesPerS } } : {}),
  };
}

async function endService(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  const timer = setTimeout(() => service.child.kill('SIGKILL'), killAfterMs);
  await service.ended;
  clearTimeout(timer);
}

function checkPlan(plan: TargetPlan): void {
  if (plan.heapBytes % mebibyte !== 0 || plan.heapBytes < mebibyte) {
    throw new UsageError(`heap ${plan.heapBytes} bytes: must be a whole number of MB, at least 1 MB`);
  }
  for (const [name, bytes] of [
    ['leak', plan.leakBytes],
    ['idle leak', plan.idleLeakBytesPerS],
    ['swap', plan.swapBytes],
  ] as const) {
    if (!Number.isFinite(bytes) || bytes < 0)
      throw new UsageError(`${name} ${bytes} bytes: must be 0 or more`);
  }
  if (!Number.isFinite(plan.swapBytesPerS) || plan.swapBytesPerS <= 0) {
    throw new UsageError(`swap rate ${plan.swapBytesPerS} bytes/s: must be above 0`);
  }
}
