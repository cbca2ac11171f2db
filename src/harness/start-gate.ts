/**
 * Start gate: lets two runs begin to measure at the same moment. Each says that it is ready, and waits for the word of
 * whoever has started both; otherwise the one that comes later takes the processor from the other's measurement to
 * start its parts.
 */
import { once } from 'node:events';

/** Set to `1` for a run that has an IPC channel and is to wait. A version that does not know it does not wait. */
export const startGateVariable = 'WAVETANK_START_GATE';

/** From a run: it is ready. To a run: it may begin. */
export interface StartGateMessage {
  readonly type: 'ready' | 'go';
}

/** Waits for the word; undefined: this process is not asked to. Whoever lost the one to wait for begins at once. */
export function startGate(run: NodeJS.Process): (() => Promise<void>) | undefined {
  if (run.env[startGateVariable] !== '1' || run.send === undefined) return undefined;
  return async () => {
    if (!run.connected) return;
    const heard = new AbortController();
    const { signal } = heard;
    const word = Promise.race([once(run, 'message', { signal }), once(run, 'disconnect', { signal })]);
    run.send?.({ type: 'ready' } satisfies StartGateMessage);
    await word.finally(() => {
      heard.abort();
    });
  };
}
