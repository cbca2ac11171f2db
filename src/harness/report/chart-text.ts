/** Chart text: what a chart shows, in a sentence made from its data, for those who do not see it. Pure. */
import { latencyText, numberText, percentText } from '../number-text.ts';
import type { OrderClass } from './page-data.ts';
import type { ReportStack } from './report-data.ts';

/** `99 % of all orders within: baseline 3,000 ms, breaker 210 ms. Within 200 ms: baseline 72.3 %, breaker 99.1 %.` */
export function percentileText(stacks: readonly ReportStack[], name: OrderClass, slaMs: number): string {
  const p99 = 4;
  const orders = name === 'all' ? 'all orders' : `${name} orders`;
  return [
    `99 % of ${orders} within: ${each(stacks, (stack) => latencyOr(stack.orders[name].percentilesUs[p99]))}.`,
    `Share within ${latencyText(slaMs * 1000)}: ${each(stacks, (stack) => shareOr(stack.orders[name].withinSla))}.`,
  ].join(' ');
}

/** Of the gateway's and the canary's delay at 99 %. */
export function loopDelayText(stacks: readonly ReportStack[]): string {
  const p99 = 4;
  return `Delay of the gateway's event loop at 99 % of the time, and of the idle canary's beside it: ${each(
    stacks,
    (stack) => `${latencyOr(stack.gatewayDelay[p99])} and ${latencyOr(stack.canaryDelay[p99])}`,
  )}.`;
}

/** `<subject>: lowest breaker with 2.1 ms, highest baseline with 2,660 ms.` */
export function extremesText(
  subject: string,
  stacks: readonly ReportStack[],
  valueOf: (stack: ReportStack) => number | null,
  text: (value: number) => string,
): string {
  const known = stacks
    .map((stack) => ({ name: stack.name, value: valueOf(stack) }))
    .filter((one): one is { name: string; value: number } => one.value !== null)
    .sort((a, b) => a.value - b.value);
  const [lowest] = known;
  const highest = known.at(-1);
  if (lowest === undefined || highest === undefined) return `${subject}: too few samples to say.`;
  if (text(lowest.value) === text(highest.value)) {
    return known.length === 1
      ? `${subject}: ${lowest.name} ${text(lowest.value)}.`
      : `${subject}: ${text(lowest.value)} for every stack.`;
  }
  return `${subject}: lowest ${lowest.name} with ${text(lowest.value)}, highest ${highest.name} with ${text(highest.value)}.`;
}

export function ordersText(stacks: readonly ReportStack[]): string {
  return `Confirmed orders of all that were offered: ${each(
    stacks,
    ({ summary }) => `${numberText(summary.confirmed)} of ${numberText(summary.offered)}`,
  )}.`;
}

export function eventsText(stacks: readonly ReportStack[]): string {
  return `Most frequent event: ${each(stacks, ({ events }) => {
    const [most] = Object.entries(events).sort(([, a], [, b]) => b - a);
    return most === undefined ? 'none' : `${most[0]} (${numberText(most[1])} times)`;
  })}.`;
}

export function memoryText(stacks: readonly ReportStack[]): string {
  return `Deaths of the payment service in the measured windows: ${each(
    stacks,
    ({ summary }) => `${numberText(summary.deaths)} (down for ${numberText(summary.downS)} s)`,
  )}.`;
}

function each(stacks: readonly ReportStack[], text: (stack: ReportStack) => string): string {
  return stacks.map((stack) => `${stack.name} ${text(stack)}`).join('; ');
}

function latencyOr(us: number | null | undefined): string {
  return us == null ? 'too few samples' : latencyText(us);
}

function shareOr(share: number | null): string {
  return share === null ? 'no samples' : `${percentText(share)} %`;
}
