/** Gateway thread: the order service on an event loop of its own, and what it measures about itself. */
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromGateway, GatewayPlan, GatewayReport, ToGateway } from '../harness/gateway-plan.ts';
import { LoopDelayProbe } from '../harness/loop-delay.ts';
import { monotonicMs, realClock } from '../harness/time.ts';
import type { PolicyEvent, PolicyEventType } from '../patterns/events.ts';
import type { Send } from '../patterns/layer.ts';
import { seededRandom } from '../patterns/random.ts';
import { buildStack } from '../patterns/stack.ts';
import { createPaymentClient, type PaymentReceipt } from '../targets/payment-client.ts';
import { createGatewayApp, type OrderInFlight } from './gateway-app.ts';

const plan = workerData as GatewayPlan;
const main = parentPort;
if (main === null) throw new Error('the gateway runs in a thread of its own');

let window = { fromMs: Infinity, toMs: Infinity };
const inWindow = (atMs: number) => atMs >= window.fromMs && atMs < window.toMs;

const measured = new WeakSet<OrderInFlight>();
let inFlight = 0;
let orders = 0;
let attempts = 0;
const events: Partial<Record<PolicyEventType, number>> = {};
const transitions: GatewayReport['transitions'][number][] = [];

function onEvent(event: PolicyEvent): void {
  if (event.type === 'breaker-transition') {
    transitions.push({ atMs: event.atMs, from: event.from, to: event.to });
  }
  if (inWindow(event.atMs)) events[event.type] = (events[event.type] ?? 0) + 1;
}

const client = createPaymentClient({
  origin: `http://${plan.upstream.host}:${plan.upstream.port}`,
  connections: plan.connections,
});
const attempt: Send<OrderInFlight, PaymentReceipt> = (order, call) => {
  order.attempts += 1;
  if (measured.has(order)) attempts += 1;
  return client.send(order, call);
};
const stack = buildStack(plan.stack, {
  clock: realClock,
  random: seededRandom(plan.seed),
  report: onEvent,
});

const app = createGatewayApp({
  pay: stack.apply(attempt),
  // The one that retries blindly is the gateway of somebody who has not heard of idempotency keys.
  idempotencyKeys: !plan.stack.layers.some((layer) => layer.name === 'retry-blind'),
  onOrder: (order) => {
    inFlight += 1;
    if (!inWindow(monotonicMs())) return;
    measured.add(order);
    orders += 1;
  },
  onOrderEnd: () => {
    inFlight -= 1;
  },
});

const probe = new LoopDelayProbe(plan.pulsePort);
const sampler = setInterval(() => {
  tell({
    type: 'sample',
    sample: {
      atMs: monotonicMs(),
      inFlight,
      breakerState: stack.breakerState() ?? null,
      loopDelayP99Us: probe.takeIntervalP99Us(),
    },
  });
}, plan.sampleEveryMs);

function tell(message: FromGateway): void {
  main?.postMessage(message);
}

async function stop(): Promise<void> {
  clearInterval(sampler);
  tell({
    type: 'report',
    report: { loopDelay: await probe.report(), orders, attempts, events, transitions },
  });
  await app.close();
  await client.close();
  main?.close();
}

main.on('message', (message: ToGateway) => {
  switch (message.type) {
    case 'window':
      window = { fromMs: message.fromMs, toMs: message.toMs };
      probe.startWindow(message.fromMs, message.toMs);
      break;
    case 'stop':
      void stop();
      break;
  }
});

try {
  await app.listen({ host: '127.0.0.1', port: plan.port });
  tell({ type: 'ready', port: (app.server.address() as AddressInfo).port });
} catch (error) {
  tell({
    type: 'failed',
    code: (error as NodeJS.ErrnoException).code,
    message: error instanceof Error ? error.message : String(error),
  });
}
