/**
 * Supervisor link: runs the supervisor in a small process of its own, and is its stand-in here.
 *
 * Starting a process means to fork, which copies the page tables of whoever forks: from the process that measures, with
 * its 300 MB, that would stall every thread in it for some 20 ms at each restart, the canary's too.
 */
import { once } from 'node:events';
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
  | { readonly type: 'stop' };

export type FromSupervisor =
  | { readonly type: 'ready'; readonly host: string; readonly port: number }
  /** It could not be started. `usage`: the plan or the port is at fault. */
  | { readonly type: 'failed'; readonly message: string; readonly usage: boolean }
  | { readonly type: 'sample'; readonly sample: TargetSample }
  /** The service cannot be started again. */
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'stopped'; readonly story: LifeStory };

export interface SupervisorLinkOptions {
  readonly plan: TargetPlan;
  /** Absolute path of the ledger. */
  readonly ledgerPath: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly onSample?: (sample: TargetSample) => void;
  /** Hears, at most once, that the service is lost for good. `stop()` is still due. */
  readonly onBroken?: (error: Error) => void;
}

export interface SupervisorLink {
  /** The service's address for life. */
  readonly host: string;
  readonly port: number;
  /** Ends the service, its address and the supervisor. May be called again. */
  stop(): Promise<LifeStory>;
}

/**
 * Starts a supervisor and its service, and waits until the service is ready.
 *
 * @throws UsageError if the plan or the port is impossible
 * @throws MachineError of one line if the service does not become ready; nothing is left running then
 */
export async function startSupervisorLink(options: SupervisorLinkOptions): Promise<SupervisorLink> {
  const child = startProcess('targets/supervisor', [], {
    // A group of its own: Ctrl-C in a terminal is for the command, which then ends its supervisor in good order.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  let stopping = false;
  const tell = (message: ToSupervisor) => child.connected && child.send(message);
  let onStopped: (story: LifeStory) => void = () => undefined;
  const stopped = new Promise<LifeStory>((resolve) => {
    onStopped = resolve;
  });
  const address = new Promise<{ host: string; port: number }>((resolve, reject) => {
    child.on('message', (message: FromSupervisor) => {
      switch (message.type) {
        case 'ready':
          resolve(message);
          break;
        case 'failed':
          reject(message.usage ? new UsageError(message.message) : new MachineError(message.message));
          break;
        case 'sample':
          options.onSample?.(message.sample);
          break;
        case 'broken':
          options.onBroken?.(new MachineError(message.message));
          break;
        case 'stopped':
          onStopped(message.story);
          break;
      }
    });
    child.on('error', reject);
    void exited.then(() => {
      if (stopping) return;
      const error = new MachineError('the supervisor of the payment service ended unexpectedly');
      reject(error);
      options.onBroken?.(error);
    });
  });
  tell({ type: 'start', plan: options.plan, ledgerPath: options.ledgerPath, port: options.port });

  try {
    const { host, port } = await address;
    return {
      host,
      port,
      async stop() {
        stopping = true;
        tell({ type: 'stop' });
        // A supervisor that is gone has no story to tell any more.
        const story = await Promise.race([
          stopped,
          exited.then(() => ({ starts: [], exits: [], samples: [] })),
        ]);
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
