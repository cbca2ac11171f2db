/** Report text: a result as a table and a few sentences, for a terminal or a log. */
import Table from 'cli-table3';
import { failureKinds } from '../patterns/outcome.ts';
import { comparisonSentence } from './verdict-text.ts';
import { slaMsOf } from './metrics.ts';
import { msText, numberText, percentText } from './number-text.ts';
import type { Result } from './result.ts';
import { type StackSummary, summariseStack } from './summary.ts';

/** The table (a column per stack), the comparisons, and every reason why a trial is not valid. */
export function reportText(result: Result): string {
  const summaries = result.stacks
    .filter((stack) => stack.trials.length > 0)
    .map((stack) => summariseStack(stack, slaMsOf(result)));
  const [first, ...others] = summaries;
  if (first === undefined) return 'Nothing was measured.';
  return [
    tableText(summaries),
    ...others.map((stack) => comparisonSentence(stack, first)),
    ...invalidLines(result),
    ...(result.complete ? [] : ['Interrupted: this result is partial.']),
  ].join('\n');
}

type Row = readonly [heading: string, cell: (stack: StackSummary) => string];

function tableText(stacks: readonly StackSummary[]): string {
  const kinds = failureKinds.filter((kind) => stacks.some((stack) => stack.byOutcome[kind] !== undefined));
  const rows: Row[] = [
    ['orders offered', (stack) => numberText(stack.offered)],
    ['  confirmed', (stack) => numberText(stack.confirmed)],
    ['  failed', (stack) => numberText(stack.failed)],
    ...kinds.map((kind): Row => [`    ${kind}`, (stack) => numberText(stack.byOutcome[kind] ?? 0)]),
    ['  skipped (in-flight cap)', (stack) => numberText(stack.skipped)],
    ['  in flight at the end', (stack) => numberText(stack.inFlightAtEnd)],
    ['error rate, %', (stack) => percentText(stack.errorRate)],
    ['goodput, orders/s', (stack) => numberText(stack.goodputPerS)],
    ['order response p50, ms', (stack) => msText(stack.responseUs.p50)],
    ['order response p95, ms', (stack) => msText(stack.responseUs.p95)],
    ['order response p99, ms', (stack) => msText(stack.responseUs.p99)],
    ['order response max, ms', (stack) => msText(stack.responseUs.max)],
    ['confirmed only p95, ms', (stack) => msText(stack.confirmedUs.p95)],
    ['bystander response p99, ms', (stack) => msText(stack.bystanderUs.p99)],
    ['gateway loop delay p99, ms', (stack) => msText(stack.loopDelayUs.p99)],
    ['gateway loop delay max, ms', (stack) => msText(stack.loopDelayUs.max)],
    ['canary loop delay p99, ms', (stack) => msText(stack.canaryDelayUs.p99)],
    ['gateway utilisation, %', (stack) => percentText(stack.utilization)],
    ['load lateness p99, ms', (stack) => msText(stack.latenessP99Us)],
    ['deaths of the service', (stack) => numberText(stack.deaths)],
    ['service down, s', (stack) => numberText(stack.downS)],
    ...(stacks.some((stack) => stack.breaker !== null) ? breakerRows : []),
    ['attempts per order', (stack) => numberText(stack.amplification)],
    ['orders charged', (stack) => numberText(stack.charged)],
    ['  charged twice or more', (stack) => numberText(stack.duplicates)],
    ['  charged, not confirmed', (stack) => numberText(stack.phantoms)],
    ['  confirmed, not charged', (stack) => numberText(stack.lost)],
    ['valid trials', (stack) => `${stack.validTrials} of ${stack.trials}`],
  ];
  const table = new Table({
    head: ['', ...stacks.map((stack) => stack.name)],
    colAligns: ['left', ...stacks.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: plainFrame,
  });
  table.push(...rows.map(([heading, cell]) => [heading, ...stacks.map(cell)]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const breakerRows: readonly Row[] = [
  ['breaker opened, times', ({ breaker }) => (breaker === null ? '-' : numberText(breaker.openings))],
  [
    'breaker not closed, % of time',
    ({ breaker }) => (breaker === null ? '-' : percentText(breaker.openShare)),
  ],
  [
    'ready to closed, median, ms',
    ({ breaker }) => (breaker?.recoverMs == null ? '-' : msText(breaker.recoverMs * 1000)),
  ],
];

/** No frame at all: it reads as well in a log as in a terminal. */
const plainFrame = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

function invalidLines(result: Result): string[] {
  return result.stacks.flatMap((stack) =>
    stack.trials.flatMap((trial, index) =>
      trial.invalidReasons.map((reason) => `INVALID ${stack.name}, trial ${index + 1}: ${reason}`),
    ),
  );
}
