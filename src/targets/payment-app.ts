/** Payment app: the payment service's HTTP interface, without a process around it. */
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Charge } from '../harness/ledger.ts';
import type { Leak } from './leak.ts';
import type { Ledger } from './ledger.ts';
import { orderLimits, type PaymentOrder, type PaymentReceipt } from './payment.ts';

export interface PaymentAppParts {
  readonly ledger: Pick<Ledger, 'find' | 'append'>;
  readonly leak: Leak;
  /** For the ledger's `atMs`. */
  readonly now: () => number;
}

const order = {
  type: 'object',
  required: ['orderId', 'amountCents'],
  properties: {
    orderId: { type: 'string', minLength: 1, maxLength: orderLimits.orderIdLength },
    amountCents: { type: 'integer', minimum: 1, maximum: orderLimits.amountCents },
  },
} as const;

const keyMaxLength = 255;
const bodyLimitBytes = 16 * 1024;

/**
 * `POST /payments` charges, writes the ledger, retains what the leak says, and answers 201 with a receipt. With an
 * `Idempotency-Key` that it has seen it answers 200 with the stored receipt and charges nothing; the same key with
 * another payload gets 422; a ledger that cannot be written gets 503 and nothing is charged. `GET /healthz` answers 200.
 * (draft-ietf-httpapi-idempotency-key-header is where these rules come from.)
 */
export function paymentApp({ ledger, leak, now }: PaymentAppParts): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    // Longer than any client keeps an idle connection: whoever reuses one must not race with its closing.
    keepAliveTimeout: 120_000,
    // "12" is no amount.
    ajv: { customOptions: { coerceTypes: false } },
  });

  app.get('/healthz', () => ({ status: 'up' }));

  app.post<{ Body: PaymentOrder }>('/payments', { schema: { body: order } }, (request, reply) => {
    const { orderId, amountCents } = request.body;
    const key = idempotencyKey(request.headers['idempotency-key']);
    if (key === false)
      return problem(reply, 400, `Idempotency-Key: must have 1 to ${keyMaxLength} characters`);

    const seen = key === undefined ? undefined : ledger.find(key);
    if (seen !== undefined) {
      if (seen.orderId !== orderId || seen.amountCents !== amountCents) {
        return problem(reply, 422, 'Idempotency-Key: already used for another payment');
      }
      return reply.code(200).send(receipt(seen, true));
    }

    let charge: Charge;
    try {
      charge = ledger.append({ orderId, amountCents, ...(key === undefined ? {} : { key }), atMs: now() });
    } catch (error) {
      return problem(reply, 503, `not charged: the ledger cannot be written (${(error as Error).message})`);
    }
    leak.grow();
    return reply.code(201).send(receipt(charge, false));
  });

  return app;
}

/** False if there is one that cannot be used. */
function idempotencyKey(header: string | string[] | undefined): string | undefined | false {
  if (header === undefined) return undefined;
  return typeof header === 'string' && header.length > 0 && header.length <= keyMaxLength ? header : false;
}

function receipt({ paymentId, orderId, amountCents }: Charge, replayed: boolean): PaymentReceipt {
  return { paymentId, orderId, amountCents, replayed };
}

function problem(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ statusCode: status, message });
}
