/** Payments: what the ledger says was charged, held against what the clients were told. Pure. */
import type { Payments } from './result.ts';

export interface PaymentsToAudit {
  /** One entry per charge in the ledger, whatever order it belongs to. */
  readonly chargedOrderIds: Iterable<string>;
  /** Orders of the window, by id: whether the client was told that the order is confirmed. */
  readonly confirmedById: ReadonlyMap<string, boolean>;
  /** Lines of the ledger that were cut short and dropped. */
  readonly tornLines: number;
}

/**
 * The ledger alone says what was charged. Distinct orders charged = confirmed + phantoms - lost, and lost must be 0:
 * the service writes a charge down before it answers. Charges of orders outside the window are not counted.
 *
 * A torn line is no reason to doubt these figures: the service answers only when its line is whole, so that nobody was
 * told of it. If it had been whole once, its order is lost.
 */
export function auditPayments(audit: PaymentsToAudit): Payments {
  const chargesById = new Map<string, number>();
  for (const orderId of audit.chargedOrderIds) {
    if (audit.confirmedById.has(orderId)) chargesById.set(orderId, (chargesById.get(orderId) ?? 0) + 1);
  }
  let duplicates = 0;
  for (const charges of chargesById.values()) if (charges > 1) duplicates += 1;

  let phantoms = 0;
  let lost = 0;
  for (const [orderId, confirmed] of audit.confirmedById) {
    const charged = chargesById.has(orderId);
    if (charged && !confirmed) phantoms += 1;
    if (!charged && confirmed) lost += 1;
  }
  return { charged: chargesById.size, duplicates, phantoms, lost, tornLines: audit.tornLines };
}
