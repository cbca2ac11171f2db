/** Own faults: what goes wrong in a module of the user's, which is no outcome of a call but a reason to doubt the trial. */
import { countText } from '../number-text.ts';
import { errorText, valueText } from '../error-text.ts';
import { unknownKind } from '../../patterns/outcome.ts';

/** A call that is older than this when the trial has ended is taken for one that never settles. */
const settleMaxMs = 10_000;

export class OwnFaults {
  private threwCount = 0;
  private threwFirst = '';
  private wrongCount = 0;
  private wrongFirst = '';
  /** Calls that have not settled, and since when. */
  private readonly pending = new Map<object, number>();
  private readonly file: string;
  private readonly callee: string;

  /**
   * @param file The module, as it was named.
   * @param callee Whom it calls.
   */
  constructor(file: string, callee: string) {
    this.file = file;
    this.callee = callee;
  }

  /** Runs a call; until it has settled, it is pending. */
  async watch<T>(nowMs: number, call: () => Promise<T>): Promise<T> {
    const one = {};
    this.pending.set(one, nowMs);
    try {
      return await call();
    } finally {
      this.pending.delete(one);
    }
  }

  threw(error: unknown): void {
    if (this.threwCount === 0) this.threwFirst = errorText(error);
    this.threwCount += 1;
  }

  answeredWrong(answer: unknown, expected: string): void {
    if (this.wrongCount === 0) {
      this.wrongFirst = unknownKind(answer) ?? `${valueText(answer)}, which is not ${expected}`;
    }
    this.wrongCount += 1;
  }

  /** A line for each kind of fault; empty: there was none. */
  lines(nowMs: number): string[] {
    const { file, callee, threwCount, wrongCount } = this;
    const callsText = (count: number) => `${countText(count, 'call')} to ${callee}`;
    const stuck = [...this.pending.values()].filter((sinceMs) => nowMs - sinceMs > settleMaxMs).length;
    return [
      ...(threwCount > 0 ? [`${file} threw in ${callsText(threwCount)}, first: ${this.threwFirst}`] : []),
      ...(wrongCount > 0 ? [`${file} answered ${callsText(wrongCount)} with ${this.wrongFirst}`] : []),
      ...(stuck > 0 ? [`${file} never settled ${callsText(stuck)}`] : []),
    ];
  }
}
