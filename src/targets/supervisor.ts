/** Supervisor process: the supervisor and its front door, away from the process that measures. See `supervisor-link.ts`. */
import { rmSync } from 'node:fs';
import { startSupervisor, type Supervisor } from '../harness/supervisor.ts';
import type { FromSupervisor, ToSupervisor } from '../harness/supervisor-link.ts';
import { UsageError } from '../patterns/usage-error.ts';

function tell(message: FromSupervisor, sent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
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
    cancelled: stopping.signal,
    onSample: (sample) => {
      tell({ type: 'sample', sample });
    },
    onBroken: ({ message }) => {
      tell({ type: 'broken', message });
    },
  });
  const { host, serviceIdle } = supervisor;
  tell({ type: 'ready', host, port: supervisor.port, serviceIdle });
  return supervisor;
}

let supervisor: Promise<Supervisor> | undefined;
const stopping = new AbortController();
/** What is left of a command that could not clean up after itself. Known from the start: it may be killed at any time. */
let orphanedDir = process.argv[2];

async function stop(): Promise<void> {
  stopping.abort();
  // A start that failed, or was taken back, has been told.
  const story = await (await supervisor?.catch(() => undefined))?.stop();
  if (story === undefined) return;
  orphanedDir = undefined;
  const { starts, exits, tornLines, ledgerError } = story;
  tell({ type: 'stopped', story: { starts, exits, tornLines, ledgerError } }, () => {
    process.disconnect();
  });
}

process.on('message', (message: ToSupervisor) => {
  switch (message.type) {
    case 'start':
      supervisor = start(message);
      supervisor.catch((error: unknown) => {
        tell({ type: 'failed', message: (error as Error).message, usage: error instanceof UsageError });
      });
      break;
    case 'faults':
      void supervisor?.then((started) => {
        started.beginFaults(message.fromMs);
      });
      break;
    case 'stop':
      void stop();
      break;
  }
});
/** The command is gone, in good order or by SIGKILL. The service ends when this process has ended. */
function end(): void {
  if (orphanedDir !== undefined) rmSync(orphanedDir, { recursive: true, force: true });
  process.exit(0);
}
process.on('disconnect', end);
// It may have been gone before the line above.
if (!process.connected) end();
