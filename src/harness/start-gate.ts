/**
 * Start gate: lets two runs begin to measure at the same moment. Each says that it is ready, and waits for the word of
 * whoever has started both; otherwise the one that comes later takes the processor from the other's measurement to
 * start its parts.
 */
import { hasType } from './typed-message.ts';

/** Set to `1` for a run that has an IPC channel and is to wait. A version that does not know it does not wait. */
export const startGateVariable = 'WAVETANK_START_GATE';

/** From a run: it is ready. To a run: it may begin. */
export interface StartGateMessage {
  readonly type: 'ready' | 'go';
}

export function isStartGateMessage(
  message: unknown,
  type: StartGateMessage['type'],
): message is StartGateMessage {
  return hasType(message, type);
}

/** Waits for the word, or until it is interrupted. Whoever lost the one to wait for begins at once. */
export type StartGate = (interrupt: AbortSignal) => Promise<void>;

/** Undefined: this process is not asked to wait. */
export function startGate(run: NodeJS.Process): StartGate | undefined {
  if (run.env[startGateVariable] !== '1' || run.send === undefined) return undefined;
  return (interrupt) =>
    new Promise((resolve) => {
      const begin = () => {
        run.off('message', hear);
        run.off('disconnect', begin);
        interrupt.removeEventListener('abort', begin);
        resolve();
      };
      const hear = (message: unknown) => {
        if (isStartGateMessage(message, 'go')) begin();
      };
      run.on('message', hear);
      run.on('disconnect', begin);
      interrupt.addEventListener('abort', begin);
      if (!run.connected || interrupt.aborted) begin();
      else run.send?.({ type: 'ready' } satisfies StartGateMessage);
    });
}
