/** Order stories: what became of each order of a window, from its schedule, the gateway and the ledger. Pure. */
import { csvLine } from './csv-line.ts';
import type { LedgerContents } from './ledger.ts';
import { fateOf, type LoadReport, type OrderFate, orderId } from './load-plan.ts';

export interface OrderStory {
  readonly orderId: string;
  /** From the start of the window. */
  readonly intendedMs: number;
  readonly outcome: OrderFate;
  /** Calls of the payment service that got a connection. */
  readonly attempts: number;
  /** Charges in the ledger. Null: nobody knows it. */
  readonly charges: number | null;
}

/** One per order of the window, those that were skipped too, in the order of their indices. */
export function orderStories(
  load: Pick<LoadReport, 'fates' | 'intendedMs'>,
  attemptsById: ReadonlyMap<string, number>,
  ledger: Pick<LedgerContents, 'charges'> | null,
  windowStartMs: number,
): OrderStory[] {
  const chargesById = new Map<string, number>();
  for (const charge of ledger?.charges ?? []) {
    chargesById.set(charge.orderId, (chargesById.get(charge.orderId) ?? 0) + 1);
  }
  const stories: OrderStory[] = [];
  for (let index = 0; index < load.fates.length; index++) {
    const outcome = fateOf(load, index);
    if (outcome === undefined) continue;
    const id = orderId(index, true);
    stories.push({
      orderId: id,
      intendedMs: (load.intendedMs[index] ?? 0) - windowStartMs,
      outcome,
      attempts: attemptsById.get(id) ?? 0,
      charges: ledger === null ? null : (chargesById.get(id) ?? 0),
    });
  }
  return stories;
}

export const ordersCsvHeader = 'stack,trial_sequence,order,intended_ms,outcome,attempts,charges';

/**
 * The stories of one trial as lines of CSV, without the header.
 *
 * @param sequence The trial's, as in the result.
 */
export function ordersCsvLines(stack: string, sequence: number, stories: readonly OrderStory[]): string {
  return stories
    .map((story) =>
      csvLine([
        stack,
        sequence,
        story.orderId,
        Math.round(story.intendedMs * 1000) / 1000,
        story.outcome,
        story.attempts,
        story.charges,
      ]),
    )
    .join('');
}
