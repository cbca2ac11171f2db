/** Service process: one life of the payment service, from its spawn to its last word on stderr. */
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from './entry.ts';
import { isServiceMessage, type ServiceSettings } from './target-plan.ts';
import { monotonicMs } from './time.ts';

export interface ProcessEnd {
  readonly atMs: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote there. */
  readonly stderr: string;
}

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly spawnedAtMs: number;
  /** True once it is ready; false if it died, or had to be killed, before. */
  readonly ready: Promise<boolean>;
  /** After its exit. */
  readonly ended: Promise<ProcessEnd>;
}

/** V8's farewell, with its table of garbage collections and a native stack trace, is about 5 KB. */
const stderrTailLength = 16_384;

/** The exit is known before the rest of stderr has been read; the rest is never long in coming. */
const stderrWaitMs = 1000;

/** While it starts. It must come up on a busy machine too, so that an outage is as long as the plan says. */
const startNiceness = 10;
/** Of a service that is up and takes no more than its work needs. */
const upNiceness = 0;

export interface ServiceProcessOptions {
  readonly settings: ServiceSettings;
  readonly heapBytes: number;
  /** How long it may take to become ready. */
  readonly startLimitMs: number;
  /** Called at the moment of the exit, before anything else happens. */
  readonly onExit: () => void;
}

/**
 * Starts the service.
 *
 * @throws Error if the system cannot create a process
 */
export async function startService(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const spawnedAtMs = monotonicMs();
  const child = startProcess('targets/payment-service', [JSON.stringify(options.settings)], {
    execArgv: [`--max-old-space-size=${options.heapBytes / 1024 / 1024}`, '--single-threaded-gc'],
    // Nobody's NODE_OPTIONS may change how much memory the service has, or make it write a report when it dies.
    env: { ...process.env, NODE_OPTIONS: undefined },
    cwd: folderWithoutCores(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  if (child.pid === undefined) await once(child, 'spawn');
  const pid = Number(child.pid);
  renice(pid, startNiceness);

  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrTailLength);
  });
  const stderrClosed = child.stderr === null ? Promise.resolve() : once(child.stderr, 'close');
  // A failed kill or send; that the process is gone is learnt from its exit.
  child.on('error', () => undefined);

  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      const atMs = monotonicMs();
      options.onExit();
      void Promise.race([stderrClosed, sleep(stderrWaitMs, undefined, { ref: false })]).then(() => {
        resolve({ atMs, code, signal, stderr });
      });
    });
  });
  return { child, pid, spawnedAtMs, ready: readiness(child, options.startLimitMs), ended };
}

/** What a person should read of a failed start: V8's or the service's own error line, else the last line. */
export function errorLine(end: Pick<ProcessEnd, 'code' | 'signal' | 'stderr'>): string {
  const lines = end.stderr.split('\n').filter((line) => line.trim() !== '');
  const told = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'it said nothing on stderr';
  return `${end.signal ?? `exit code ${end.code ?? '?'}`}: ${told.trim()}`;
}

function readiness(child: ChildProcess, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (ready: boolean): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(ready);
    };
    const onMessage = (message: unknown): void => {
      if (isServiceMessage(message, 'ready')) settle(true);
    };
    const onExit = (): void => {
      settle(false);
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle(false);
    }, limitMs);
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}

/** V8 ends by SIGABRT, which by default leaves a core dump in the working directory: in `/proc` no file can be made. */
function folderWithoutCores(): string {
  return existsSync('/proc/self') ? '/proc' : tmpdir();
}

function renice(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Not allowed, or already dead: it measures a little worse.
  }
}

/**
 * Gives a service that is up and does not thrash the CPU that it asks for: whatever it waits for a busy host would look
 * like latency of its own.
 */
export function makeOrdinary(pid: number): void {
  renice(pid, upNiceness);
}

/**
 * Gives a service that is up idle priority: it gets the CPU that the others leave, and makes room at once. In a garbage
 * collection that gets nowhere it would take all it can get; in production it would be on another machine. Being nice is
 * not enough, because that does not interrupt a time slice. Resolves with whether it was possible.
 */
export function makeIdle(pid: number): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('chrt', ['--idle', '--all-tasks', '--pid', '0', String(pid)], (error) => {
      resolve(error === null);
    });
  });
}
