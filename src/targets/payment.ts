/** Payment: what goes to the payment service and what comes back. */

export interface PaymentOrder {
  /** 1 to 100 characters. */
  readonly orderId: string;
  /** A whole number, more than 0. */
  readonly amountCents: number;
}

export interface PaymentReceipt {
  readonly paymentId: string;
  readonly orderId: string;
  readonly amountCents: number;
  /** Whether this is the answer to an earlier request with the same Idempotency-Key, and nothing was charged for this one. */
  readonly replayed: boolean;
}
