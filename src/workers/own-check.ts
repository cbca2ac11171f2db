/** Own check thread: loads a module of the user's, tries it, and says what it is. */
import { parentPort, workerData } from 'node:worker_threads';
import type { OwnCheckMessage, OwnCheckPlan } from '../harness/own/own-check.ts';
import { errorText } from '../harness/error-text.ts';
import { checkOwn } from '../harness/own/own-export.ts';
import { UsageError } from '../patterns/usage-error.ts';

const { file, url } = workerData as OwnCheckPlan;

function tell(message: OwnCheckMessage): void {
  parentPort?.postMessage(message);
}

checkOwn(file, url, () => {
  tell({ type: 'loaded' });
}).then(
  (kind) => {
    tell({ type: 'usable', kind });
  },
  (error: unknown) => {
    const message =
      error instanceof UsageError ? error.message : `${file} cannot be used: ${errorText(error)}`;
    tell({ type: 'failed', message });
  },
);
