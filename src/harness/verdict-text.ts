/** Verdict text: what each stack did against the first one, in plain words. Pure. */
import { latencyText, numberText } from './number-text.ts';
import type { StackSummary } from './summary.ts';

/** `breaker against baseline: order response p95 2.1 ms instead of 2,660 ms (1,267 times lower), ...` */
export function comparisonSentence(stack: StackSummary, first: StackSummary): string {
  if (stack.validTrials === 0 || first.validTrials === 0) {
    const invalid = stack.validTrials === 0 ? stack.name : first.name;
    return `${stack.name} against ${first.name}: not compared, because ${invalid} has no valid trial.`;
  }
  const parts = [
    versus('order response p95', stack.responseUs.p95, first.responseUs.p95),
    versus('bystander p99', stack.bystanderUs.p99, first.bystanderUs.p99),
    versus('gateway loop delay p99', stack.loopDelayUs.p99, first.loopDelayUs.p99),
    `${numberText(stack.goodputPerS)} instead of ${numberText(first.goodputPerS)} orders/s confirmed`,
    ...(stack.duplicates > 0 || first.duplicates > 0
      ? [`${twiceText(stack)} orders charged twice instead of ${twiceText(first)}`]
      : []),
  ];
  return `${stack.name} against ${first.name}: ${parts.join(', ')}.`;
}

function twiceText({ duplicates, charged }: StackSummary): string {
  return `${numberText(duplicates)} of ${numberText(charged)}`;
}

function versus(metric: string, us: number | null, firstUs: number | null): string {
  if (us === null || firstUs === null) return `${metric} not comparable (too few samples)`;
  return `${metric} ${latencyText(us)} instead of ${latencyText(firstUs)} (${ratioText(us, firstUs)})`;
}

const twoDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/** How much lower or higher, with two digits: more would pretend a precision that one run does not have. */
function ratioText(us: number, firstUs: number): string {
  const ratio = Math.max(us, 1) / Math.max(firstUs, 1);
  const factor = ratio < 1 ? 1 / ratio : ratio;
  const rounded = Number(factor.toPrecision(2));
  if (rounded === 1) return 'the same';
  return `${twoDigits.format(rounded)} times ${ratio < 1 ? 'lower' : 'higher'}`;
}
