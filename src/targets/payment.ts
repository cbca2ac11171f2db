/** Payment: what goes to the payment service and what comes back. */

/** What a service takes as an order; gateway and payment service agree on it. */
export const orderLimits = { orderIdLength: 100, amountCents: 100_000_000 } as const;

export interface PaymentOrder {
  /** 1 to 100 characters. */
  readonly orderId: string;
  /** A whole number from 1 to 100,000,000. */
  readonly amountCents: number;
}

export interface PaymentReceipt {
  readonly paymentId: string;
  readonly orderId: string;
  readonly amountCents: number;
  /** Whether this is the answer to an earlier request with the same Idempotency-Key, and nothing was charged for this one. */
  readonly replayed: boolean;
}
