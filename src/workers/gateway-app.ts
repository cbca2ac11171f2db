/** Gateway application: the order service's HTTP interface, with a stack of layers between it and each service behind it. */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Cancellation } from '../patterns/cancellation.ts';
import type { Call } from '../patterns/call.ts';
import type { Send } from '../patterns/layer.ts';
import type { Failure } from '../patterns/outcome.ts';
import { orderLimits, type PaymentOrder, type PaymentReceipt } from '../targets/payment.ts';
import { type User, type UserRequest, userIdPattern } from '../targets/user.ts';
import { catalogPage } from './catalog.ts';
import { problemMediaType, problemOfFailure, problemOfStatus } from './problem.ts';
import type { RateLimitDoor } from './rate-limit-door.ts';

export interface GatewayAppOptions {
  /** Gets the same order object in every attempt. */
  readonly pay: Send<PaymentOrder, PaymentReceipt>;
  readonly findUser: Send<UserRequest, User>;
  /**
   * Whether orders carry an Idempotency-Key, the same on all attempts: without one, a POST is retried only where it
   * provably never arrived.
   */
  readonly idempotencyKeys: boolean;
  /** Absent: nobody is turned away. `/healthz` is not asked either way. */
  readonly door?: RateLimitDoor | undefined;
  readonly onOrder: (order: PaymentOrder) => void;
  readonly onOrderEnd: (order: PaymentOrder) => void;
}

const orderBodySchema = {
  type: 'object',
  required: ['orderId', 'amountCents'],
  additionalProperties: false,
  properties: {
    orderId: { type: 'string', minLength: 1, maxLength: orderLimits.orderIdLength },
    amountCents: { type: 'integer', minimum: 1, maximum: orderLimits.amountCents },
  },
} as const;

const userParamsSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: userIdPattern } },
} as const;

/** A body larger than this is no order. */
const bodyLimitBytes = 16 * 1024;

/** Builds the application; the caller listens and closes. */
export function createGatewayApp(options: GatewayAppOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    // A number in quotes is no amount: validate what was sent, not what it could be turned into.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    // What the router refuses by itself, such as an id of 300 digits, is a problem document too.
    frameworkErrors: (error, _request, reply) => {
      sendProblem(reply, problemOfStatus(error.statusCode ?? 400, error.message));
    },
    // The load generator keeps idle sockets; closing one under it would look like a failure of the gateway.
    keepAliveTimeout: 120_000,
    forceCloseConnections: true,
  });

  app.setErrorHandler<{ statusCode?: number; message: string }>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    sendProblem(reply, problemOfStatus(status, error.message));
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(reply, problemOfStatus(404, `${request.method} ${request.url} does not exist here`));
  });

  const { door } = options;
  if (door !== undefined) {
    // Before the body is read: who is turned away costs as little as possible.
    app.addHook('onRequest', async (request, reply) => {
      if (request.url === '/healthz') return;
      const failure = await door(request, reply);
      if (failure !== undefined) await sendFailure(reply, failure);
    });
  }

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/catalog', () => catalogPage());

  app.post<{ Body: { orderId: string; amountCents: number } }>(
    '/orders',
    { schema: { body: orderBodySchema } },
    async (request, reply) => {
      const order = request.body;
      const call = callFor(reply, 'POST', options.idempotencyKeys ? randomUUID() : undefined);
      options.onOrder(order);
      const outcome = await options.pay(order, call);
      options.onOrderEnd(order);
      if (!outcome.ok) return sendFailure(reply, outcome.failure);
      return reply.code(201).send({ orderId: order.orderId, paymentId: outcome.value.paymentId });
    },
  );

  app.get<{ Params: UserRequest }>(
    '/users/:id',
    { schema: { params: userParamsSchema } },
    async (request, reply) => {
      const outcome = await options.findUser(request.params, callFor(reply, 'GET'));
      return outcome.ok ? outcome.value : sendFailure(reply, outcome.failure);
    },
  );
  return app;
}

/** The call on behalf of a client. Nobody waits any longer when the client's socket is gone: the attempts end too. */
function callFor(reply: FastifyReply, method: string, idempotencyKey?: string): Call {
  const cancellation = new Cancellation();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) cancellation.cancel(new Error('the client closed its connection'));
  });
  return { method, idempotencyKey, cancellation };
}

function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  const problem = problemOfFailure(failure.kind);
  if (problem.status === 503 || problem.status === 429) {
    const waitMs = failure.retryAfterMs ?? 0;
    void reply.header('retry-after', Math.max(1, Math.ceil(waitMs / 1000)));
  }
  return sendProblem(reply, problem);
}

function sendProblem(reply: FastifyReply, problem: { status: number }): FastifyReply {
  return reply.code(problem.status).type(problemMediaType).send(problem);
}
