/** Payment service: the process that leaks and dies. It has no port; its supervisor hands it connections over IPC. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConnectionMessage,
  FaultsMessage,
  ServiceMessage,
  ServiceSettings,
} from '../harness/target-plan.ts';
import { monotonicMs, realClock } from '../harness/time.ts';
import { seededRandom } from '../patterns/random.ts';
import { createFault } from './faults/create-fault.ts';
import { FaultTimers } from './faults/fault-timers.ts';
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
  let readyMs = Infinity;
  /** Node's own list of connections is kept only by a server that listens. */
  const sockets = new Set<Socket>();
  let faultsFromMs = settings.faultsFromMs ?? Infinity;
  const fault = createFault(settings.fault, {
    elapsedMs: () => monotonicMs() - faultsFromMs,
    upMs: () => monotonicMs() - readyMs,
    restarted: settings.faultsFromMs !== null,
    random: seededRandom(settings.seed),
  });
  const timers = new FaultTimers(fault, realClock, {
    refuse() {
      tell({ type: 'refuse' });
      for (const socket of sockets) socket.destroy();
    },
    listen() {
      tell({ type: 'listen' });
    },
    die(frozenMs) {
      blockThread(frozenMs);
      process.kill(process.pid, 'SIGKILL');
    },
  });
  const ledger = new Ledger(settings.ledgerPath);
  if (ledger.torn > 0) tell({ type: 'torn' });
  let unwritable = false;
  const app = paymentApp({
    ledger,
    leak: createLeak(settings.leak, settings.leakBytes, swap),
    fault,
    keyRequired: settings.keyRequired,
    onUnwritable(reason) {
      if (!unwritable) tell({ type: 'unwritable', reason });
      unwritable = true;
    },
    onClaimed: () => {
      timers.claimed();
    },
    now: monotonicMs,
  });
  await app.ready();
  await warmUp();
  leakWhenIdle(settings, swap);
  process.on('message', (message: ConnectionMessage | FaultsMessage, socket: Socket | undefined) => {
    if (message.type === 'faults') {
      faultsFromMs = message.fromMs;
      timers.begin(faultsFromMs);
      return;
    }
    // No socket comes with it if the client has left meanwhile.
    if (timers.refusing) socket?.destroy();
    else if (socket !== undefined) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      app.server.emit('connection', socket);
    }
    tell({ type: 'taken' });
  });
  if (settings.faultsFromMs !== null && fault.readyFromMs !== undefined) {
    await sleep(Math.max(0, settings.faultsFromMs + fault.readyFromMs - monotonicMs()));
  }
  readyMs = monotonicMs();
  tell({ type: 'ready' });
  if (settings.faultsFromMs !== null) timers.begin(settings.faultsFromMs);
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
  if (idleLeakBytesPerS === 0) return;
  const everyMs = 20;
  const portions = createLeak(leak, Math.round((idleLeakBytesPerS * everyMs) / 1000), swap);
  setInterval(() => {
    portions.grow();
  }, everyMs);
}

function tell(message: ServiceMessage): void {
  process.send?.(message);
}
