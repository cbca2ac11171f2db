/** Load threads: the piscina pool that sends the load of a trial. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { entryExecArgv, entryUrl } from './entry.ts';
import {
  type LoadReport,
  type LoadTask,
  mergeLoadReports,
  portsOf,
  stopLoad,
  type TrialTimes,
} from './load-plan.ts';
import type { LoadStep } from './recorder-steps.ts';
import type { LoadShape } from './run-options.ts';

export interface LoadRun {
  readonly gatewayPort: number;
  readonly times: TrialTimes;
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

  /** The threads start to load their code at once. */
  constructor(threads: number) {
    this.threads = threads;
    this.pool = new Piscina({
      filename: entryUrl('workers/load').href,
      execArgv: [...entryExecArgv],
      minThreads: threads,
      maxThreads: threads,
      // Piscina's default would freeze a thread's event loop between tasks.
      atomics: 'disabled',
    });
  }

  /** Sends the whole load; resolves when the last request is answered or given up. Once per pool. */
  async run(run: LoadRun): Promise<LoadReport> {
    const reports = run.pulses.map((pulses, worker) => {
      const channel = new MessageChannel();
      this.progressPorts.push(channel.port1);
      channel.port1.on('message', (step: LoadStep) => {
        run.onStep(step, worker);
      });
      const task: LoadTask = {
        gatewayPort: run.gatewayPort,
        worker,
        workers: this.threads,
        times: run.times,
        loop: loopOf(run, worker),
        inFlightMax: Math.ceil(run.inFlightMax / this.threads),
        pulses,
        progress: channel.port2,
      };
      return this.pool.run(task, { transferList: portsOf(task) }) as Promise<LoadReport>;
    });
    return mergeLoadReports(await Promise.all(reports));
  }

  /** Offers nothing more; `run` resolves with what was measured. */
  stopEarly(): void {
    for (const port of this.progressPorts) port.postMessage(stopLoad);
  }

  /** Ends the threads, whatever they are doing. */
  async end(): Promise<void> {
    for (const port of this.progressPorts) port.close();
    await this.pool.destroy();
  }
}

function loopOf({ shape, dueMs, ticks }: LoadRun, worker: number): LoadTask['loop'] {
  if (shape.kind === 'closed') return { kind: 'closed', users: shape.vus, thinkMs: shape.thinkMs };
  const port = ticks[worker];
  if (port === undefined) throw new Error(`the metronome has no port for load worker ${worker}`);
  return { kind: 'open', dueMs, ticks: port };
}
