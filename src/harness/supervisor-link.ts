/**
 * Supervisor link: runs the supervisor in a small process of its own, and is its stand-in here.
 *
 * Starting a process means to fork, which copies the page tables of whoever forks: from the process that measures, with
 * its 300 MB, that would stall every thread in it for some 20 ms at each restart, the canary's too.
 */
import { UsageError } from '../patterns/usage-error.ts';
import { startProcess } from './entry.ts';
import type { LifeStory, TargetSample } from './life-story.ts';
import { MachineError } from './machine-error.ts';
import type { TargetPlan } from './target-plan.ts';

/** From here to the supervisor's process. It ends by itself when this process is gone. */
export type ToSupervisor =
  | {
      readonly type: 'start';
      readonly plan: TargetPlan;
      readonly ledgerPath: string;
      readonly port: number | undefined;
    }
  /** The service is well until this moment (`monotonicMs()`), and fails as its plan says from then on. */
  | { readonly type: 'faults'; readonly fromMs: number }
  /** In the middle of a start, which then has failed, too. */
  | { readonly type: 'stop' };

export type FromSupervisor =
  | { readonly type: 'ready'; readonly host: string; readonly port: number; readonly serviceIdle: boolean }
  /** It could not be started. `usage`: the plan or the port is at fault. */
  | { readonly type: 'failed'; readonly message: string; readonly usage: boolean }
  | { readonly type: 'sample'; readonly sample: TargetSample }
  /** The service cannot be started again. */
  | { readonly type: 'broken'; readonly message: string }
  /** The samples have all been sent before. */
  | { readonly type: 'stopped'; readonly story: Omit<LifeStory, 'samples'> };

export interface SupervisorLinkOptions {
  readonly plan: TargetPlan;
  /** Absolute path of the ledger. */
  readonly ledgerPath: string;
  /** Folder that the supervisor removes if this process is gone without having stopped it. */
  readonly scratchDir?: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Takes the start back, as long as the service is not ready. */
  readonly cancelled?: AbortSignal;
  readonly onSample?: (sample: TargetSample) => void;
  /** Hears, at most once, that the service is lost for good. `stop()` is still due. */
  readonly onBroken?: (error: Error) => void;
}

export interface SupervisorLink {
  /** The service's address for life. */
  readonly host: string;
  readonly port: number;
  /** Whether the service runs at idle priority. */
  readonly serviceIdle: boolean;
  /** The service is well until this moment (`monotonicMs()`), and fails as its plan says from then on. Said once. */
  beginFaults(fromMs: number): void;
  /**
   * Ends the service, its address and the supervisor. May be called again.
   *
   * @throws MachineError if the supervisor is gone, and its story with it
   */
  stop(): Promise<LifeStory>;
}

/**
 * Starts a supervisor and its service, and waits until the service is ready.
 *
 * @throws UsageError if the plan or the port is impossible
 * @throws MachineError of one line if the service does not become ready, or is not wanted any more; nothing is left
 * running then
 */
export async function startSupervisorLink(options: SupervisorLinkOptions): Promise<SupervisorLink> {
  const { plan, ledgerPath, scratchDir, port, cancelled } = options;
  const child = startProcess('targets/supervisor', scratchDir === undefined ? [] : [scratchDir], {
    // A group of its own: Ctrl-C in a terminal is for the command, which then ends its supervisor in good order.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    // No process at all, or none that can be talked to.
    child.on('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  const gone = exited.then(
    () => new MachineError('the supervisor of the payment service ended unexpectedly'),
  );
  const samples: TargetSample[] = [];
  let stopping = false;
  let onStopped: (story: LifeStory) => void = () => undefined;
  const stopped = new Promise<LifeStory>((resolve) => {
    onStopped = resolve;
  });
  // A message that cannot be delivered any more is answered by the exit.
  const tell = (message: ToSupervisor) => child.connected && child.send(message, () => undefined);

  const address = new Promise<Extract<FromSupervisor, { type: 'ready' }>>((resolve, reject) => {
    child.on('message', (message: FromSupervisor) => {
      switch (message.type) {
        case 'ready':
          resolve(message);
          break;
        case 'failed':
          stopping = true;
          reject(message.usage ? new UsageError(message.message) : new MachineError(message.message));
          break;
        case 'sample':
          samples.push(message.sample);
          options.onSample?.(message.sample);
          break;
        case 'broken':
          stopping = true;
          options.onBroken?.(new MachineError(message.message));
          break;
        case 'stopped':
          onStopped({ ...message.story, samples });
          break;
      }
    });
    void gone.then((error) => {
      reject(error);
      if (!stopping) options.onBroken?.(error);
    });
  });
  tell({ type: 'start', plan, ledgerPath, port });
  const cancel = () => {
    tell({ type: 'stop' });
  };
  if (cancelled?.aborted === true) cancel();
  cancelled?.addEventListener('abort', cancel, { once: true });

  try {
    const ready = await address;
    cancelled?.removeEventListener('abort', cancel);
    return {
      host: ready.host,
      port: ready.port,
      serviceIdle: ready.serviceIdle,
      beginFaults(fromMs) {
        tell({ type: 'faults', fromMs });
      },
      async stop() {
        stopping = true;
        tell({ type: 'stop' });
        const story = await Promise.race([stopped, gone]);
        if (story instanceof Error) throw story;
        await exited;
        return story;
      },
    };
  } catch (error) {
    if (child.connected) child.disconnect();
    await exited;
    throw error;
  }
}
