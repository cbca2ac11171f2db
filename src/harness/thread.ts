/** Thread: a worker thread with typed messages, whose death is an error to whoever waits for it. */
import type { Transferable, Worker, WorkerOptions } from 'node:worker_threads';
import { startThread } from './entry.ts';
import { errorText } from './error-text.ts';
import { isTyped } from './typed-message.ts';
import type { EntryName } from './entry-bundle.ts';

export class Thread<In, Out> {
  private readonly worker: Worker;
  private readonly listeners = new Set<(message: Out) => void>();
  private readonly dead: Promise<never>;
  private ending = false;

  constructor(name: EntryName, options: WorkerOptions = {}) {
    this.worker = startThread(name, { ...options, stdout: true });
    // What other code prints in a thread is not what the command prints.
    this.worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    this.worker.on('message', (message: Out) => {
      if (isTyped(message)) for (const listener of this.listeners) listener(message);
    });
    this.dead = new Promise((_resolve, reject) => {
      this.worker.once('error', (error) => {
        reject(new Error(`${name} failed: ${errorText(error)}`, { cause: error }));
      });
      this.worker.once('exit', (code) => {
        if (!this.ending) reject(new Error(`${name} ended early with code ${code}`));
      });
    });
    // Whoever waits hears of it; if nobody does, the thread was not needed any more.
    this.dead.catch(() => undefined);
  }

  post(message: In, transferList: readonly Transferable[] = []): void {
    this.worker.postMessage(message, transferList);
  }

  /** Hears every message. */
  onMessage(listener: (message: Out) => void): void {
    this.listeners.add(listener);
  }

  /** The first message from now on for which `pick` returns something. Rejects when the thread dies before. */
  first<T>(pick: (message: Out) => T | undefined): Promise<T> {
    let listener: (message: Out) => void = () => undefined;
    const found = new Promise<T>((resolve) => {
      listener = (message) => {
        const picked = pick(message);
        if (picked !== undefined) resolve(picked);
      };
      this.listeners.add(listener);
    });
    return Promise.race([found, this.dead]).finally(() => {
      this.listeners.delete(listener);
    });
  }

  /** Hears that it has died, with the reason. */
  onDeath(listener: (error: Error) => void): void {
    this.dead.catch(listener);
  }

  /** What `promise` resolves with; rejects if that takes too long. */
  async within<T>(limitMs: number, promise: Promise<T>, tooLate: () => Error): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(tooLate());
      }, limitMs);
      // The thread keeps the process alive; once it is ended nobody waits any more.
      timer.unref();
    });
    try {
      return await Promise.race([promise, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    this.ending = true;
    await this.worker.terminate();
  }
}
