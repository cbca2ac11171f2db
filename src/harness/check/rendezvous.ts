/** Rendezvous: where those who are to begin at the same moment wait for each other. */
import type { Clock } from '../../patterns/clock.ts';

export class Rendezvous {
  /** Whether all were ready before one left, and before the limit was over. */
  met = false;
  private missing: number;
  private readonly limitMs: number;
  private readonly clock: Clock;
  private stopLimit: (() => void) | undefined;
  private isOver = false;
  private go: () => void = () => undefined;
  private readonly gone = new Promise<void>((resolve) => {
    this.go = resolve;
  });

  /**
   * @param parties How many are expected.
   * @param limitMs How long the first one waits for the others.
   */
  constructor(parties: number, limitMs: number, clock: Clock) {
    this.missing = parties;
    this.limitMs = limitMs;
    this.clock = clock;
  }

  /** One is ready. Resolves when all are, or when it is no use to wait for them. */
  arrive(): Promise<void> {
    if (this.isOver) return this.gone;
    this.missing -= 1;
    this.stopLimit ??= this.clock.after(this.limitMs, () => {
      this.end();
    });
    if (this.missing === 0) {
      this.met = true;
      this.end();
    }
    return this.gone;
  }

  /** One is gone, ready or not: nobody has to wait for it. */
  leave(): void {
    if (!this.isOver) this.end();
  }

  private end(): void {
    this.isOver = true;
    this.stopLimit?.();
    this.go();
  }
}
