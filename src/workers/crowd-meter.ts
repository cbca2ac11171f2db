/** Crowd meter: in how large a crowd things happen. */

export class CrowdMeter {
  private readonly stepMs: number;
  private readonly counts = new Map<number, number>();

  /** @param stepMs What happens in the same step of this length, counted from 0, is one crowd. */
  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  add(atMs: number): void {
    const step = Math.floor(atMs / this.stepMs);
    this.counts.set(step, (this.counts.get(step) ?? 0) + 1);
  }

  /**
   * The size of the crowd that the average one is part of, itself included; 0 for nothing. It is a mean over all of them,
   * and so varies far less by chance than the size of the largest crowd.
   */
  get meanSize(): number {
    let things = 0;
    let squares = 0;
    for (const count of this.counts.values()) {
      things += count;
      squares += count ** 2;
    }
    return things === 0 ? 0 : squares / things;
  }
}
