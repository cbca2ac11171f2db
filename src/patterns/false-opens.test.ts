import { expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';
import type { PolicyEvent } from './events.ts';
import type { Send } from './layer.ts';
import { confirmed } from './outcome.ts';
import { seededRandom } from './random.ts';
import { SimClock } from './sim-clock.ts';
import { buildStack, parseStacks } from './stack.ts';

const minutes = 5;
/** The default rate, of which nine of ten requests are orders. */
const ordersPerS = 495;

it.each(['breaker', 'breaker-count', 'retry+breaker+bulkhead'])(
  '%s never opens in five minutes of orders to a healthy target',
  async (name) => {
    const clock = new SimClock();
    const random = seededRandom(7);
    const events: PolicyEvent[] = [];
    const [plan] = parseStacks(name, []);
    if (plan === undefined) throw new Error(`no stack ${name}`);
    const stack = buildStack(plan, { clock, random, report: (event) => events.push(event) });
    // 1 ms at the median and a long tail, as a healthy service on a busy host has it: one answer in 50,000 takes 60 ms,
    // one in 500,000 takes 100 ms, which is when the breaker counts a call as failed.
    const latencyMs = () => Math.exp(normal(random));
    const target: Send<number, string> = () =>
      new Promise((resolve) => {
        clock.after(latencyMs(), () => {
          resolve(confirmed('paid'));
        });
      });
    const send = stack.apply(target);

    let answered = 0;
    const orders = minutes * 60 * ordersPerS;
    const next = (order: number): void => {
      if (order === orders) return;
      const call = { method: 'POST', idempotencyKey: 'k', cancellation: new Cancellation() };
      void send(order, call).then(() => answered++);
      clock.after(-Math.log(1 - random()) * (1000 / ordersPerS), () => {
        next(order + 1);
      });
    };
    next(0);
    await clock.runUntilIdle();

    expect(answered).toBe(orders);
    expect(clock.now()).toBeGreaterThan(0.98 * minutes * 60_000);
    expect(events.filter((event) => event.type === 'breaker-transition')).toEqual([]);
    expect(stack.breakerState()).toBe('closed');
  },
);

/** Box and Muller's normal deviate. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
