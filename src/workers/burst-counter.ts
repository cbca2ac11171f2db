/** Burst counter: how many things happen together at the most. */

export class BurstCounter {
  /** The most in one step so far. */
  most = 0;
  private readonly stepMs: number;
  private readonly counts = new Map<number, number>();

  /** @param stepMs What happens in the same step of this length, counted from 0, is together. */
  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  add(atMs: number): void {
    const step = Math.floor(atMs / this.stepMs);
    const count = (this.counts.get(step) ?? 0) + 1;
    this.counts.set(step, count);
    this.most = Math.max(this.most, count);
  }
}
