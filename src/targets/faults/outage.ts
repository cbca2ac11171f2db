/** Outage: when something is out of order, once or again and again. Pure. */

/** All times in ms since faults began. */
export interface Outage {
  readonly firstMs: number;
  /** Infinity: it never ends. */
  readonly lengthMs: number;
  /** From start to start; Infinity: there is one. */
  readonly everyMs: number;
}

/** @param forMs `off`: to the end */
export function onceOut(afterMs: number, forMs: number | 'off'): Outage {
  return { firstMs: afterMs, lengthMs: forMs === 'off' ? Infinity : forMs, everyMs: Infinity };
}

export function isOut(outage: Outage, elapsedMs: number): boolean {
  const sinceMs = elapsedMs - outage.firstMs;
  return sinceMs >= 0 && sinceMs % outage.everyMs < outage.lengthMs;
}

/** The next moment after this one at which an outage begins or ends; Infinity: there is none. */
export function nextTurnMs({ firstMs, lengthMs, everyMs }: Outage, elapsedMs: number): number {
  if (elapsedMs < firstMs) return firstMs;
  if (everyMs === Infinity) return elapsedMs < firstMs + lengthMs ? firstMs + lengthMs : Infinity;
  const startMs = firstMs + Math.floor((elapsedMs - firstMs) / everyMs) * everyMs;
  return elapsedMs < startMs + lengthMs ? startMs + lengthMs : startMs + everyMs;
}
