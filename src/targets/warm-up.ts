/** Warm-up: what the payment service does before it says that it is ready. */
import type { Charge } from '../harness/ledger.ts';
import { paymentApp } from './payment-app.ts';

/**
 * Pays a number of times into the void, so that V8 has compiled the path that a payment takes. A service that opens its
 * door cold needs milliseconds for each of its first payments; under full load that alone looks like a failing service,
 * to a breaker as well, and every restart would be followed by an outage that has nothing to do with memory.
 */
export async function warmUp(payments = 300): Promise<void> {
  const app = paymentApp({
    ledger: {
      find: () => undefined,
      claim: () => undefined,
      append: (charge): Charge => ({ paymentId: 'pay-0', ...charge }),
    },
    leak: { grow: () => undefined, count: () => 0 },
    fault: {},
    keyRequired: false,
    now: () => 0,
  });
  for (let number = 0; number < payments; number += 1) {
    await app.inject({
      method: 'POST',
      url: '/payments',
      headers: { 'idempotency-key': `warm-up-${number}` },
      payload: { orderId: `warm-up-${number}`, amountCents: 100 },
    });
  }
  await app.close();
}
