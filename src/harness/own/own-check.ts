/** Own check: tries a module of the user's before anything starts, in a thread of its own that can be given up. */
import { UsageError } from '../../patterns/usage-error.ts';
import { startThread } from '../entry.ts';
import { errorText } from '../error-text.ts';
import { isTyped } from '../typed-message.ts';
import type { OwnKind } from './own-export.ts';

export interface OwnCheckPlan {
  /** As the user calls it. */
  readonly file: string;
  readonly url: string;
}

export type OwnCheckMessage =
  | { readonly type: 'loaded' }
  | { readonly type: 'usable'; readonly kind: OwnKind }
  | { readonly type: 'failed'; readonly message: string };

const patienceMs = 10_000;

/**
 * What the module exports.
 *
 * @throws {UsageError} One line, if it cannot be used, ends its thread, or does not come to an end.
 */
export function checkOwnModule(plan: OwnCheckPlan, limitMs = patienceMs): Promise<OwnKind> {
  const worker = startThread('workers/own-check', { workerData: plan, stdout: true });
  // What it prints is not what the command prints.
  worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  return new Promise<OwnKind>((resolve, reject) => {
    let failed = 'was not loaded';
    const fail = (message: string) => {
      reject(new UsageError(message));
    };
    const timer = setTimeout(() => {
      fail(`${plan.file} ${failed} within ${limitMs / 1000} s`);
    }, limitMs);
    worker.on('message', (message: OwnCheckMessage) => {
      if (!isTyped(message)) return;
      if (message.type === 'loaded') failed = 'did not answer a call that succeeds';
      else if (message.type === 'usable') resolve(message.kind);
      else fail(message.message);
    });
    worker.once('error', (error) => {
      fail(`${plan.file} cannot be used: ${errorText(error)}`);
    });
    worker.once('exit', () => {
      clearTimeout(timer);
      fail(`${plan.file} ${failed}: its thread ended, with nothing left to wait for or by process.exit`);
    });
  }).finally(() => worker.terminate());
}
