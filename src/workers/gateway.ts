/** Gateway thread: the order service on an event loop of its own, and what it measures about itself. */
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import type { FromGateway, GatewayPlan, ToGateway } from '../harness/gateway-plan.ts';
import { LoopDelayProbe } from '../harness/loop-delay.ts';
import { makeStack } from '../harness/stack-maker.ts';
import { monotonicMs, realClock } from '../harness/time.ts';
import { deriveSeed, seededRandom } from '../patterns/random.ts';
import { createPaymentClient } from '../targets/payment-client.ts';
import { SocketPool } from '../targets/socket-pool.ts';
import { createUserClient } from '../targets/user-client.ts';
import { createGatewayApp } from './gateway-app.ts';
import { GatewayMeter } from './gateway-meter.ts';
import { openRateLimitDoor } from './gateway-door.ts';
import { warmUp } from './gateway-warm-up.ts';
import { stackCostNs } from './stack-cost.ts';

const main = parentPort;
if (main === null) throw new Error('the gateway runs in a thread of its own');

function tell(message: FromGateway): void {
  main?.postMessage(message);
}

async function serve(plan: GatewayPlan): Promise<(message: ToGateway) => void> {
  const meter = new GatewayMeter(plan.attemptsById);
  const probe = new LoopDelayProbe(plan.pulses);
  const paymentPool = new SocketPool(plan.stack.pools);
  const userPool = plan.stack.pools.shared ? paymentPool : new SocketPool(plan.stack.pools);
  const payments = createPaymentClient({
    origin: plan.origins.payments,
    pool: paymentPool,
    onAttempt: (order) => {
      meter.attempt(order);
    },
  });
  const users = createUserClient({ origin: plan.origins.users, pool: userPool });
  const stack = await makeStack(
    plan.stack,
    {
      clock: realClock,
      random: seededRandom(plan.seed),
      report: (event) => {
        meter.policyEvent(event);
      },
    },
    'payments',
  );
  // Of the same plan, but with breaker, bulkhead and retry budget of its own: what one service does is not the other's.
  const userStack = await makeStack(
    plan.stack,
    {
      clock: realClock,
      random: seededRandom(deriveSeed(plan.seed, 'users')),
      report: (event) => {
        meter.userPolicyEvent(event);
      },
    },
    'users',
  );
  const limits = await openRateLimitDoor(plan.rateLimit, realClock, (event) => {
    meter.policyEvent(event);
  });
  const send: typeof payments.send = (order, call) =>
    payments.send(order, call).then((outcome) => {
      if (outcome.ok) meter.attemptConfirmed(monotonicMs);
      return outcome;
    });
  const app = createGatewayApp({
    door: limits?.door,
    pay: stack.apply(send),
    findUser: userStack.apply(users.send),
    // The one that retries blindly is the gateway of somebody who has not heard of idempotency keys.
    idempotencyKeys: !plan.stack.layers.some((layer) => layer.name === 'retry-blind'),
    onOrder: (order) => {
      meter.orderArrived(order, monotonicMs());
    },
    onOrderEnd: () => {
      meter.orderEnded();
    },
  });
  // Nobody else's code is called for this: a module counts its calls, too.
  const costNs = plan.stack.maker === undefined ? await stackCostNs(plan.stack) : null;
  const hasBreaker = stack.breakerState() !== undefined;
  const sampler = setInterval(() => {
    tell({
      type: 'sample',
      sample: {
        atMs: monotonicMs(),
        inFlight: meter.inFlight,
        breakerState: stack.breakerState() ?? null,
        loopDelayP99Us: probe.takeIntervalP99Us(),
      },
    });
  }, plan.sampleEveryMs);

  async function stop(): Promise<void> {
    clearInterval(sampler);
    const ownFaults = [...stack.faults(), ...userStack.faults()];
    tell({
      type: 'report',
      report: { ...meter.report(), hasBreaker, ownFaults, stackCostNs: costNs, loop: await probe.report() },
    });
    await app.close();
    limits?.close();
    stack.close();
    userStack.close();
    await Promise.all([paymentPool.close(), userPool.close()]);
    tell({ type: 'closed' });
    main?.close();
  }

  await app.listen({ host: '127.0.0.1', port: plan.port });
  tell({ type: 'ready', port: (app.server.address() as AddressInfo).port });

  return (message) => {
    switch (message.type) {
      case 'start':
        throw new Error('the gateway has been started');
      case 'window':
        meter.setWindow(message.fromMs, message.toMs);
        probe.startWindow(message.fromMs, message.toMs);
        break;
      case 'end-window':
        meter.endWindow(message.atMs);
        probe.endWindow(message.atMs);
        break;
      case 'stop':
        void stop();
        break;
    }
  };
}

/** From the moment when the code is loaded: the plan comes later, when the service is up. */
const warm = warmUp();
// Heard by whoever starts it.
warm.catch(() => undefined);

main.once('message', (message: ToGateway) => {
  if (message.type !== 'start') throw new Error(`the gateway was told '${message.type}' before 'start'`);
  const { plan } = message;
  void warm
    .then(() => serve(plan))
    .then(
      (onMessage) => main.on('message', onMessage),
      (error: unknown) => {
        tell({
          type: 'failed',
          code: (error as NodeJS.ErrnoException).code,
          message: error instanceof Error ? error.message : String(error),
        });
      },
    );
});
