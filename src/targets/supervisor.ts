/** Supervisor process: the supervisor and its front door, away from the process that measures. See `supervisor-link.ts`. */
import { startSupervisor, type Supervisor } from '../harness/supervisor.ts';
import type { FromSupervisor, ToSupervisor } from '../harness/supervisor-link.ts';
import { UsageError } from '../patterns/usage-error.ts';

function tell(message: FromSupervisor): void {
  if (process.connected) process.send?.(message);
}

async function start({
  plan,
  ledgerPath,
  port,
}: Extract<ToSupervisor, { type: 'start' }>): Promise<Supervisor> {
  const supervisor = await startSupervisor({
    plan,
    ledgerPath,
    port,
    onSample: (sample) => {
      tell({ type: 'sample', sample });
    },
    onBroken: ({ message }) => {
      tell({ type: 'broken', message });
    },
  });
  tell({ type: 'ready', host: supervisor.host, port: supervisor.port });
  return supervisor;
}

let supervisor: Promise<Supervisor> | undefined;

async function stop(): Promise<void> {
  const story = await (await supervisor)?.stop();
  if (story !== undefined) tell({ type: 'stopped', story });
  if (process.connected) process.disconnect();
}

process.on('message', (message: ToSupervisor) => {
  switch (message.type) {
    case 'start':
      supervisor = start(message);
      supervisor.catch((error: unknown) => {
        tell({ type: 'failed', message: (error as Error).message, usage: error instanceof UsageError });
      });
      break;
    case 'stop':
      void stop();
      break;
  }
});
// The command is gone, in good order or by SIGKILL. The service ends when this process has ended.
process.on('disconnect', () => process.exit(0));
