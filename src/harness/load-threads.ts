/** Load threads: the piscina pool that sends the load of a trial. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { entryUrl } from './entry.ts';
import {
  type FromLoad,
  type LoadReport,
  type LoadTask,
  mergeLoadReports,
  portsOf,
  stopLoad,
  type ToLoad,
  type TrialTimes,
} from './load-plan.ts';
import type { LoadStep } from './recorder-steps.ts';
import type { LoadShape } from './run-options.ts';

export interface LoadRun {
  readonly gatewayPort: number;
  readonly shape: LoadShape;
  /** The schedule; empty in a closed loop. */
  readonly dueMs: Float64Array;
  /** Over all threads. */
  readonly inFlightMax: number;
  /** From the metronome, one per thread. */
  readonly ticks: readonly MessagePort[];
  readonly pulses: readonly MessagePort[];
  readonly onStep: (step: LoadStep, worker: number) => void;
}

export class LoadThreads {
  private readonly threads: number;
  private readonly pool: Piscina;
  private readonly progressPorts: MessagePort[] = [];
  private reports: Promise<LoadReport[]> | undefined;
  /** Rejects when a thread dies without a task, as one does that is ended while it loads its code. */
  private readonly failure: Promise<never>;

  /** The threads start to load their code at once. */
  constructor(threads: number) {
    this.threads = threads;
    this.pool = new Piscina({
      filename: entryUrl('workers/load').href,
      // Without this process's flags, as in `entry.ts`.
      execArgv: [],
      minThreads: threads,
      maxThreads: threads,
      // Piscina's default would freeze a thread's event loop between tasks.
      atomics: 'disabled',
      // A collection of young objects copies those that live, which are all requests that wait for an answer: with V8's
      // 48 MB that is a pause of 17 ms, too long for a thread that has to be on time. Little space, short pauses.
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
    });
    this.failure = new Promise((_resolve, reject) => {
      this.pool.on('error', reject);
    });
    // Heard only while somebody waits for the threads.
    this.failure.catch(() => undefined);
  }

  /** Tells each thread what it will do; resolves when all of them only wait for the times. Once per pool. */
  async prepare(run: LoadRun): Promise<void> {
    const readiness: Promise<void>[] = [];
    const reports = run.pulses.map((pulses, worker) => {
      const channel = new MessageChannel();
      this.progressPorts.push(channel.port1);
      const ready = new Promise<void>((resolve) => {
        channel.port1.on('message', (message: FromLoad) => {
          if (message === 'ready') resolve();
          else run.onStep(message, worker);
        });
      });
      readiness.push(ready);
      const task: LoadTask = {
        gatewayPort: run.gatewayPort,
        worker,
        workers: this.threads,
        loop: loopOf(run, worker),
        inFlightMax: Math.ceil(run.inFlightMax / this.threads),
        pulses,
        progress: channel.port2,
      };
      return this.pool.run(task, { transferList: portsOf(task) }) as Promise<LoadReport>;
    });
    this.reports = Promise.all(reports);
    // A thread that fails never says that it is ready.
    await Promise.race([Promise.all(readiness), this.reports, this.failure]);
  }

  /** Sends the whole load; resolves when the last request is answered or given up. Once, after `prepare`. */
  async begin(times: TrialTimes): Promise<LoadReport> {
    if (this.reports === undefined) throw new Error('the load has not been prepared');
    this.tellAll(times);
    return mergeLoadReports(await Promise.race([this.reports, this.failure]));
  }

  /** Offers nothing more; `begin` resolves with what was measured. */
  stopEarly(): void {
    this.tellAll(stopLoad);
  }

  /** Ends the threads, whatever they are doing. */
  async end(): Promise<void> {
    for (const port of this.progressPorts) port.close();
    await this.pool.destroy();
  }

  private tellAll(message: ToLoad): void {
    for (const port of this.progressPorts) port.postMessage(message);
  }
}

function loopOf({ shape, dueMs, ticks }: LoadRun, worker: number): LoadTask['loop'] {
  if (shape.kind === 'closed') return { kind: 'closed', users: shape.vus, thinkMs: shape.thinkMs };
  const port = ticks[worker];
  if (port === undefined) throw new Error(`the metronome has no port for load worker ${worker}`);
  return { kind: 'open', dueMs, ticks: port };
}
