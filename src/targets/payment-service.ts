/** Payment service: the process that leaks and dies. It has no port; its supervisor hands it connections over IPC. */
import type { Socket } from 'node:net';
import type { ServiceMessage, ServiceSettings } from '../harness/target-plan.ts';
import { monotonicMs } from '../harness/time.ts';
import { createLeak } from './leak.ts';
import { Ledger } from './ledger.ts';
import { paymentApp } from './payment-app.ts';
import { blockThread, createSwap, type Swap } from './swap.ts';
import { warmUp } from './warm-up.ts';

// It must not outlive its supervisor, however that ended; it may have ended before this line.
process.on('disconnect', () => process.exit(0));
if (!process.connected) process.exit(0);
// A signal meant for a whole group of processes is not for this one to obey: when it ends, its supervisor says.
process.on('SIGINT', () => undefined);

try {
  const settings = JSON.parse(process.argv[2] ?? '') as ServiceSettings;
  const swap = swapOf(settings);
  const app = paymentApp({
    ledger: new Ledger(settings.ledgerPath),
    leak: createLeak(settings.leak, settings.leakBytes, swap),
    now: monotonicMs,
  });
  await app.ready();
  await warmUp();
  leakWhenIdle(settings, swap);
  process.on('message', (_message, socket: Socket | undefined) => {
    // No socket comes with it if the client has left meanwhile.
    if (socket !== undefined) app.server.emit('connection', socket);
    tell({ type: 'taken' });
  });
  tell({ type: 'ready' });
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exit(1);
}

function swapOf({ swap }: ServiceSettings): Swap | undefined {
  return (
    swap && createSwap({ ...swap, residentBytes: () => process.memoryUsage.rss(), blockMs: blockThread })
  );
}

/** Leaks by itself, in small portions. A service too busy to fire the timer leaks by its payments. */
function leakWhenIdle({ leak, idleLeakBytesPerS }: ServiceSettings, swap: Swap | undefined): void {
  const everyMs = 20;
  const portions = createLeak(leak, Math.round((idleLeakBytesPerS * everyMs) / 1000), swap);
  setInterval(() => {
    portions.grow();
  }, everyMs);
}

function tell(message: ServiceMessage): void {
  process.send?.(message);
}
