/** Chart text: what a chart shows, in a sentence made from its data, for those who do not see it. Pure. */
import { latencyText, numberText, percentText } from '../number-text.ts';
import type { OrderClass } from './page-data.ts';
import { type ReportStack, tablePercents } from './report-data.ts';

/** The slowest hundredth and the share within the limit, of the stacks that do best and worst. */
export function percentileText(stacks: readonly ReportStack[], name: OrderClass, slaMs: number): string {
  const orders = name === 'all' ? 'all orders' : `${name} orders`;
  const p99Of = (stack: ReportStack) => stack.orders[name].percentilesUs[p99] ?? null;
  return [
    extremesText(`99 % of ${orders} within`, stacks, p99Of, latencyText),
    extremesText(
      `Share of ${orders} within ${latencyText(slaMs * 1000)}`,
      stacks,
      (stack) => stack.orders[name].withinSla,
      (share) => `${percentText(share)} %`,
    ),
  ].join(' ');
}

/** Where 99 % stands in `tablePercents`. */
const p99 = tablePercents.indexOf(99);

/** Of the gateway's and the canary's delay at 99 %. */
export function loopDelayText(stacks: readonly ReportStack[]): string {
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
  return extremesText(
    'Confirmed, of all orders that were offered',
    stacks,
    ({ summary }) => (summary.offered === 0 ? null : summary.confirmed / summary.offered),
    (share) => `${percentText(share)} %`,
  );
}

export function eventsText(stacks: readonly ReportStack[]): string {
  const [most] = stacks
    .flatMap(({ name, events }) => Object.entries(events).map(([type, count]) => ({ name, type, count })))
    .sort((a, b) => b.count - a.count);
  return most === undefined
    ? 'No mechanism was triggered.'
    : `Most often: ${most.type}, ${numberText(most.count)} times with ${most.name}.`;
}

export function memoryText(stacks: readonly ReportStack[]): string {
  return `Deaths of the payment service in the measured windows: ${each(
    stacks,
    ({ summary: { deaths, downS } }) =>
      deaths === null || downS === null
        ? 'not measured'
        : `${numberText(deaths)} (down for ${numberText(downS)} s)`,
  )}.`;
}

function each(stacks: readonly ReportStack[], text: (stack: ReportStack) => string): string {
  return stacks.map((stack) => `${stack.name} ${text(stack)}`).join('; ');
}

function latencyOr(us: number | null | undefined): string {
  return us == null ? 'too few samples' : latencyText(us);
}
