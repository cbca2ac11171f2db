/** Comparison table: a row per figure, a cell per stack, as texts for whoever draws them. Pure. */
import { failureKinds } from '../patterns/outcome.ts';
import type { ComparedStack, Comparison } from './comparison.ts';
import { isMeasured, type MetricKey, metrics, metricText } from './metrics.ts';
import { fixedText, msText, numberText } from './number-text.ts';
import type { Interval } from './statistics.ts';
import type { StackSummary } from './summary.ts';

export interface ComparisonRow {
  /** With the unit: `order response p95, ms`; two spaces at the front for each step of a breakdown. */
  readonly heading: string;
  /** One per stack, in the order of the comparison. */
  readonly cells: readonly { readonly figure: string; readonly interval: string | null }[];
}

/** What a figure with an interval is; for a note beside the table. */
export const intervalNote =
  "Below a figure: its 95 % interval over the trials. Such a figure is the mean of the trials' own\n" +
  '(geometric for durations); figures without one are of all valid trials put together.';

export function comparisonTable({ stacks, slaMs }: Comparison): ComparisonRow[] {
  const row = (heading: string, figure: (stack: StackSummary) => string): ComparisonRow => ({
    heading,
    cells: stacks.map(({ summary }) => ({ figure: figure(summary), interval: null })),
  });
  const metricRow = (key: MetricKey, name: string = metrics[key].name): ComparisonRow => ({
    heading: metrics[key].unit === '' ? name : `${name}, ${metrics[key].unit}`,
    cells: stacks.map((stack) => metricCell(key, stack)),
  });
  const kinds = failureKinds.filter((kind) => stacks.some(({ summary }) => summary.byOutcome[kind]));
  const where = (heading: string, count: (stack: StackSummary) => number) =>
    stacks.some(({ summary }) => count(summary) > 0)
      ? [row(heading, (stack) => numberText(count(stack)))]
      : [];
  const hasBreaker = stacks.some(({ summary }) => summary.breaker !== null);
  return [
    row('orders offered', (stack) => numberText(stack.offered)),
    row('  confirmed', (stack) => numberText(stack.confirmed)),
    row('  failed', (stack) => numberText(stack.failed)),
    ...kinds.map((kind) => row(`    ${kind}`, (stack) => numberText(stack.byOutcome[kind] ?? 0))),
    row('  skipped (in-flight cap)', (stack) => numberText(stack.skipped)),
    row('  in flight at the end', (stack) => numberText(stack.inFlightAtEnd)),
    ...where('let in undecided (limiter failed open)', (stack) => stack.limiterFailedOpen),
    ...where('turned away undecided (limiter failed closed)', (stack) => stack.limiterFailedClosed),
    metricRow('errorRate'),
    metricRow('withinSla', `orders within SLA (${numberText(slaMs)} ms)`),
    metricRow('goodput'),
    metricRow('throughput'),
    metricRow('orderP50'),
    metricRow('orderP95'),
    metricRow('orderP99'),
    row('order response max, ms', (stack) => msText(stack.responseUs.max)),
    metricRow('confirmedP95'),
    metricRow('bystanderP99'),
    ...(['usersP99', 'usersErrorRate'] as const)
      .filter((key) => isMeasured(key, stacks))
      .map((key) => metricRow(key)),
    metricRow('loopDelayP99'),
    row('gateway loop delay max, ms', (stack) => msText(stack.loopDelayUs.max)),
    row('canary loop delay p99, ms', (stack) => msText(stack.canaryDelayUs.p99)),
    metricRow('utilization'),
    row('load lateness p99, ms', (stack) => msText(stack.latenessP99Us)),
    row('deaths of the service', (stack) => knownText(stack.deaths)),
    row('service down, s', (stack) => knownText(stack.downS)),
    ...(hasBreaker ? breakerRows.map(([heading, figure]) => row(heading, figure)) : []),
    metricRow('amplification'),
    row('orders charged', (stack) => knownText(stack.payments?.charged)),
    row('  charged twice or more', (stack) => knownText(stack.payments?.duplicates)),
    row('  charged, not confirmed', (stack) => knownText(stack.payments?.phantoms)),
    row('  confirmed, not charged', (stack) => knownText(stack.payments?.lost)),
    ...where('torn lines of the ledger, dropped', (stack) => stack.payments?.tornLines ?? 0),
    row('valid trials', (stack) => `${stack.validTrials} of ${stack.trials}`),
  ];
}

/** A dash for what is not known. */
function knownText(figure: number | null | undefined): string {
  return figure == null ? '-' : numberText(figure);
}

function metricCell(key: MetricKey, { values }: ComparedStack): ComparisonRow['cells'][number] {
  const { value, interval } = values[key];
  return { figure: metricText(metrics[key], value), interval: interval && intervalText(key, interval) };
}

/** `2,950–3,110`, in the metric's unit. */
export function intervalText(key: MetricKey, { low, high }: Interval): string {
  return `${metricText(metrics[key], low)}–${metricText(metrics[key], high)}`;
}

const breakerRows: readonly (readonly [heading: string, figure: (stack: StackSummary) => string])[] = [
  ['breaker opened, times', ({ breaker }) => (breaker === null ? '-' : numberText(breaker.openings))],
  [
    'breaker not closed, % of time',
    ({ breaker }) => (breaker === null ? '-' : fixedText(breaker.openShare * 100, 1)),
  ],
  [
    'ready to closed, median, ms',
    ({ breaker }) => (breaker?.recoverMs == null ? '-' : msText(breaker.recoverMs * 1000)),
  ],
];
