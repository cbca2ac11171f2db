/** Percentile axes: ticks of the two logarithmic axes of a percentile plot. Pure. */

export interface Tick {
  readonly value: number;
  /** Empty: a line without a text. */
  readonly text: string;
}

/** `0 %`, `90 %`, `99 %`, `99.9 %` … up to the largest count, as values of 1 / (1 - p). */
export function percentileTicks(countMax: number): Tick[] {
  const ticks: Tick[] = [{ value: 1, text: '0 %' }];
  for (let nines = 1; 10 ** nines <= countMax * 1.0001; nines += 1) {
    const text = nines === 1 ? '90' : `99${nines > 2 ? `.${'9'.repeat(nines - 2)}` : ''}`;
    ticks.push({ value: 10 ** nines, text: `${text} %` });
  }
  return ticks;
}

/** The powers of ten around all values, in ms, and within them the steps 2 and 5: named where few decades leave room. */
export function logTicks(lowMs: number, highMs: number): Tick[] {
  const first = Math.floor(Math.log10(lowMs) + 1e-9);
  const last = Math.ceil(Math.log10(highMs) - 1e-9);
  const ticks: Tick[] = [];
  for (let decade = first; decade <= last; decade += 1) {
    for (const step of [1, 2, 5]) {
      const value = Number((step * 10 ** decade).toPrecision(1));
      if (decade === last && step > 1) break;
      ticks.push({ value, text: step === 1 || last - first <= 2 ? value.toLocaleString('en') : '' });
    }
  }
  return ticks;
}
