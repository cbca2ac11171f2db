/** Crowd meter: in how large a crowd things happen. */

export class CrowdMeter {
  private readonly withinMs: number;
  private readonly moments: number[] = [];

  /** @param withinMs What happens no further apart than this is together. */
  constructor(withinMs: number) {
    this.withinMs = withinMs;
  }

  add(atMs: number): void {
    this.moments.push(atMs);
  }

  /**
   * How many things the average one is together with, itself included; 0 for nothing. It is a mean over all of them, and so
   * varies far less by chance than the size of the largest crowd.
   */
  meanSize(): number {
    const moments = Float64Array.from(this.moments).sort();
    let first = 0;
    let behind = 0;
    let together = 0;
    for (const atMs of moments) {
      while ((moments[first] ?? Infinity) < atMs - this.withinMs) first += 1;
      while ((moments[behind] ?? Infinity) <= atMs + this.withinMs) behind += 1;
      together += behind - first;
    }
    return moments.length === 0 ? 0 : together / moments.length;
  }
}
