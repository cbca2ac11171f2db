/** Payment app: the payment service's HTTP interface, without a process around it. */
import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { type Charge, isClaim } from '../harness/ledger.ts';
import type { Fault } from './faults/fault.ts';
import { keyMaxLength, parseIdempotencyKey } from './idempotency-key.ts';
import type { Leak } from './leak.ts';
import type { Ledger } from './ledger.ts';
import { orderLimits, type PaymentOrder, type PaymentReceipt } from './payment.ts';

export interface PaymentAppParts {
  readonly ledger: Pick<Ledger, 'find' | 'claim' | 'append'>;
  readonly leak: Leak;
  readonly fault: Fault;
  /** Whether a payment without an Idempotency-Key gets 400. */
  readonly keyRequired: boolean;
  /** A payment failed because the ledger could not be written. */
  readonly onUnwritable?: (reason: string) => void;
  /** A payment stands between its claim and its charge. */
  readonly onClaimed?: () => void;
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

const bodyLimitBytes = 16 * 1024;
/** What a client whose payment is still under way is asked to wait; the header knows whole seconds only. */
const inProgressRetryAfterS = 1;

/**
 * `POST /payments` charges, writes the ledger, retains what the leak says, and answers 201 with a receipt. A ledger that
 * cannot be written gets 503 and nothing is charged. `GET /healthz` answers 200. The fault has its say at every turn.
 *
 * With an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) the payment is claimed in the ledger before it
 * is charged. A key that was charged gets 200 with the stored receipt, nothing is charged; the same key with another
 * payload gets 422; one whose payment is still under way gets 409 with `Retry-After`; no key where one is required gets
 * 400. A claim that an earlier process left without a charge is charged now.
 */
export function paymentApp(parts: PaymentAppParts): FastifyInstance {
  const { ledger, leak, fault, now } = parts;
  /** Keys whose payments this process is working on. */
  const underWay = new Set<string>();
  const notCharged = (reply: FastifyReply, error: unknown): FastifyReply => {
    const { message } = error as Error;
    parts.onUnwritable?.(message);
    return problem(reply, 503, `not charged: the ledger cannot be written (${message})`);
  };
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
    const arrival = fault.arrival?.() ?? 'serve';
    if (arrival === 'hang') return reply.hijack();
    if (arrival === 'fail') return problem(reply, 500, 'something went wrong; nothing is charged');
    const key = parseIdempotencyKey(request.headers['idempotency-key']);
    if (key === false)
      return problem(reply, 400, `Idempotency-Key: must have 1 to ${keyMaxLength} characters`);
    if (key === undefined && parts.keyRequired)
      return problem(reply, 400, 'Idempotency-Key: is required for a payment');

    const seen = key === undefined ? undefined : ledger.find(key);
    if (seen !== undefined) {
      if (seen.orderId !== orderId || seen.amountCents !== amountCents) {
        return problem(reply, 422, 'Idempotency-Key: already used for another payment');
      }
      if (!isClaim(seen)) return reply.code(200).send(receipt(seen, true));
    }
    if (key !== undefined && underWay.has(key)) {
      return problem(
        reply.header('retry-after', inProgressRetryAfterS),
        409,
        'Idempotency-Key: its payment is still under way',
      );
    }

    const charge = (): FastifyReply => {
      let charged: Charge;
      try {
        charged = ledger.append({ orderId, amountCents, ...(key === undefined ? {} : { key }), atMs: now() });
      } catch (error) {
        return notCharged(reply, error);
      }
      leak.grow();
      if (fault.charged?.() === 'disconnect') {
        request.raw.socket.destroy();
        return reply.hijack();
      }
      return reply.code(201).send(receipt(charged, false));
    };

    try {
      if (key !== undefined && seen === undefined) ledger.claim({ key, orderId, amountCents, atMs: now() });
    } catch (error) {
      return notCharged(reply, error);
    }
    parts.onClaimed?.();
    const workMs = fault.workMs?.() ?? 0;
    if (workMs === 0) return charge();
    if (key !== undefined) underWay.add(key);
    // Work that has begun is finished, whether its client still waits or not.
    return sleep(workMs).then(() => {
      if (key !== undefined) underWay.delete(key);
      return charge();
    });
  });

  return app;
}

function receipt({ paymentId, orderId, amountCents }: Charge, replayed: boolean): PaymentReceipt {
  return { paymentId, orderId, amountCents, replayed };
}

/** RFC 9457. */
function problem(reply: FastifyReply, status: number, detail: string): FastifyReply {
  const title = STATUS_CODES[status] ?? 'Unknown';
  return reply.code(status).type('application/problem+json').send({ title, status, detail });
}
