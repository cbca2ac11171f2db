/** Canary thread: the idle loop beside the gateway's, as the trial sees it. */
import type { MessagePort } from 'node:worker_threads';
import type { CanaryPlan, FromCanary, ToCanary } from './load-plan.ts';
import type { LoopDelayReport } from './loop-delay.ts';
import { Thread } from './thread.ts';

export interface CanarySample {
  readonly atMs: number;
  readonly loopDelayP99Us: number | null;
}

export class CanaryThread {
  readonly samples: CanarySample[] = [];
  readonly ready: Promise<unknown>;
  /** Comes by itself at the end of the window. */
  readonly report: Promise<LoopDelayReport>;
  private readonly thread: Thread<ToCanary, FromCanary>;

  constructor(pulses: MessagePort) {
    this.thread = new Thread<ToCanary, FromCanary>('workers/canary', {
      workerData: { pulses } satisfies CanaryPlan,
      transferList: [pulses],
    });
    this.thread.onMessage((message) => {
      if (message.type === 'sample') this.samples.push(message);
    });
    this.ready = this.thread.first((message) => message.type === 'ready' || undefined);
    // Whoever waits for it hears of a canary that failed; until then nobody does.
    this.report = this.thread.first((message) => (message.type === 'report' ? message.report : undefined));
    this.report.catch(() => undefined);
  }

  measure(fromMs: number, toMs: number): void {
    this.thread.post({ type: 'window', fromMs, toMs });
  }

  endWindow(atMs: number): void {
    this.thread.post({ type: 'end-window', atMs });
  }

  /** Ends the thread, whatever it is doing. */
  end(): Promise<void> {
    return this.thread.end();
  }
}
