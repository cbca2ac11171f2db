/** Check progress: what a person sees on stderr while a check goes on: one live line on a terminal, else a line per round. */
import { createLogUpdate } from 'log-update';
import type { CheckProgress } from './run-check.ts';

export interface CheckProgressView {
  readonly show: (progress: CheckProgress) => void;
  /** Takes the live line away. */
  readonly end: () => void;
}

export const silentCheckProgress: CheckProgressView = { show: () => undefined, end: () => undefined };

export function createCheckProgress(stream: NodeJS.WriteStream, budgetMs: number): CheckProgressView {
  if (stream.isTTY) {
    const update = createLogUpdate(stream);
    return {
      show(progress) {
        update(progressText(progress, budgetMs));
      },
      end() {
        update.clear();
        update.done();
      },
    };
  }
  let last = -1;
  return {
    show(progress) {
      if (progress.round !== last) stream.write(`${progressText(progress, budgetMs)}\n`);
      last = progress.round;
    },
    end: () => undefined,
  };
}

/** `round 3 of about 9: healthy, working tree (1:05 of at most 4:00)` */
export function progressText(progress: CheckProgress, budgetMs: number): string {
  const { round, roundsExpected, what, elapsedMs } = progress;
  const about = roundsExpected === null ? '' : ` of about ${Math.max(roundsExpected, round)}`;
  const place = round === 0 ? '' : `round ${round}${about}: `;
  return `${place}${what} (${clockText(elapsedMs)} of at most ${clockText(budgetMs)})`;
}

/** `4:05` */
function clockText(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
