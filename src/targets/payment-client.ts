/** Payment client: how the gateway asks the payment service to charge an order. */
import type { PaymentOrder, PaymentReceipt } from './payment.ts';
import { createUpstreamClient, type UpstreamClient, type UpstreamClientOptions } from './upstream-client.ts';

export type PaymentClient = UpstreamClient<PaymentOrder, PaymentReceipt>;

/** `confirmed` is a receipt. */
export function createPaymentClient(
  options: Omit<UpstreamClientOptions<PaymentOrder, PaymentReceipt>, 'protocol'>,
): PaymentClient {
  return createUpstreamClient({
    ...options,
    protocol: {
      request: (order) => ({ path: '/payments', body: JSON.stringify(order) }),
      read: (answer) => (isReceipt(answer) ? answer : undefined),
    },
  });
}

function isReceipt(answer: unknown): answer is PaymentReceipt {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'paymentId' in answer &&
    typeof answer.paymentId === 'string'
  );
}
