/** User service process: the user service as the trial sees it, from its start to its end. */
import { once } from 'node:events';
import { startProcess } from './entry.ts';
import { MachineError } from './machine-error.ts';

/** From the service, once: it takes connections on 127.0.0.1 from now on. */
export interface UserServiceMessage {
  readonly type: 'ready';
  readonly port: number;
}

export interface UserServiceProcess {
  readonly host: string;
  readonly port: number;
  /** Resolves when the process is gone. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the service and waits until it is ready. It stands for another machine: it must not wait for the payment service
 * or the gateway, and sleeps nearly always. So it has real-time priority where that is allowed.
 *
 * @param onLost Hears, at most once, that it has ended without being told to.
 * @throws MachineError of one line if it does not become ready
 */
export async function startUserService(onLost: (error: Error) => void): Promise<UserServiceProcess> {
  const child = startProcess('targets/user-service', [], {
    // A group of its own: Ctrl-C in a terminal is for the command, which then ends it.
    detached: true,
    env: { ...process.env, NODE_OPTIONS: undefined },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let stopping = false;
  const exited = new Promise<MachineError>((resolve) => {
    const end = () => {
      resolve(new MachineError('the user service ended unexpectedly'));
    };
    child.once('exit', end);
    // No process at all, or one that could not be told something: its exit says the rest.
    child.on('error', () => {
      if (child.pid === undefined) end();
    });
  });
  const ready = once(child, 'message') as Promise<[UserServiceMessage]>;
  // An error of the process is an exit too.
  ready.catch(() => undefined);
  const first = await Promise.race([ready, exited]);
  if (first instanceof MachineError) throw first;
  void exited.then((error) => {
    if (!stopping) onLost(error);
  });
  return {
    host: '127.0.0.1',
    port: first[0].port,
    async stop() {
      stopping = true;
      // It holds nothing that an orderly end would save.
      child.kill('SIGKILL');
      await exited;
    },
  };
}
