/** Check words: the figures and the verdict of a check as phrases that every format shares. Pure. */
import { latencyText, numberText, plainText, ratioText } from '../number-text.ts';
import { sizeText } from '../units.ts';
import { type CheckMetricKey, scenarioNames } from './check-metrics.ts';
import type { CheckRecord, LimitRecord, MetricRecord } from './check-record.ts';
import { effectAsHarm } from './evidence.ts';

type Change = NonNullable<MetricRecord['change']>;

interface MetricWords {
  /** What a sentence calls the figure, where its name does not go with `is`. */
  readonly subject?: string;
  readonly more: string;
  readonly less: string;
}

const duration = { more: 'longer', less: 'shorter' };
const response = { more: 'slower', less: 'faster' };
const size = { more: 'higher', less: 'lower' };

const metricWords: Readonly<Record<CheckMetricKey, MetricWords>> = {
  responseP50: response,
  responseP99: response,
  cpuPerRequest: { ...size, subject: "the gateway's CPU time per request" },
  stackCost: { ...size, subject: 'the cost of a call through the stack' },
  capacity: { ...size, subject: 'the highest rate within the SLA' },
  orderP95: response,
  goodput: size,
  errorRate: { ...size, subject: 'the error rate' },
  amplification: { ...size, subject: 'the number of attempts per order' },
  retryCrowd: { ...size, subject: 'the number of retries that are due together' },
  duplicates: { ...size, subject: 'the number of orders charged twice' },
  loopDelayP99: duration,
  timeToOpen: { ...duration, subject: 'the time from outage to breaker open' },
  timeToRecover: { ...duration, subject: 'the time from ready to breaker closed' },
  leakingOrderP95: response,
  leakingGoodput: size,
  leakingLoopDelayP99: duration,
};

/** A figure of a metric, without its unit; null (none): a dash. */
export function figureText(figure: number | null): string {
  if (figure === null) return '-';
  return figure < 0 ? `-${numberText(-figure)}` : numberText(figure);
}

/** `order response p50, ms` */
export function metricHeading({ name, unit }: MetricRecord): string {
  return unit === '' ? name : `${name}, ${unit}`;
}

/** `+9.8 % [8.1, 11.6]`, `×3.4 [3.1, 3.8]`, `+120 [80, 160]` (in the metric's unit). Null: a dash. */
export function changeText({ change, scale }: Pick<MetricRecord, 'change' | 'scale'>): string {
  if (change === null) return '-';
  const interval = (text: (value: number) => string) =>
    change.low === null || change.high === null ? '' : ` [${text(change.low)}, ${text(change.high)}]`;
  if (scale === 'difference') return `${signed(change.value, numberText)}${interval(figureText)}`;
  if (change.value > timesFrom) return `×${ratioText(change.value)}${interval(ratioText)}`;
  return `${signed(perCentOf(change.value), perCentText)} %${interval((value) => negatable(perCentOf(value)))}`;
}

/** The smallest effect that matters: `3 %`, `100 ms`. */
export function effectText({ smallestEffect, scale, unit }: MetricRecord): string {
  if (scale === 'ratio') return `${ratioText(smallestEffect * 100)} %`;
  return withUnit(ratioText(smallestEffect), unit);
}

/** From this factor on a change is told as a factor: per cent say little of it. */
const timesFrom = 2;

/** `order response p50 is 9.8 % [8.1 to 11.6] slower than main (0.61 instead of 0.56 ms)`. */
export function metricSentence(metric: MetricRecord, record: CheckRecord): string {
  const { key, name, unit, a, b, change } = metric;
  const { subject = name, more, less } = metricWords[key];
  const baseline = sideName(record.sides.a?.label ?? 'the baseline');
  const figures = withUnit(`${figureText(b)} instead of ${figureText(a)}`, unit);
  if (change === null) return `${subject} is not known on both sides (${figures})`;
  const amount = amountText(metric, change);
  if (amount === null) return `${subject} is what it is on ${baseline} (${figures})`;
  const up = metric.scale === 'ratio' ? change.value > 1 : change.value > 0;
  return `${subject} is ${amount} ${up ? more : less} than ${baseline} (${figures})`;
}

/** `9.8 % [8.1 to 11.6]`, without a sign; null: no change at all. */
function amountText({ scale, unit }: MetricRecord, { value, low, high }: Change): string | null {
  const between = (from: number | null, to: number | null, text: (value: number) => string) =>
    from === null || to === null ? '' : ` [${text(from)} to ${text(to)}]`;
  if (scale === 'difference') {
    if (value === 0) return null;
    const bounds = value > 0 ? ([low, high] as const) : ([negated(high), negated(low)] as const);
    const points = unit === '%' ? 'percentage points' : unit;
    return `${withUnit(numberText(Math.abs(value)), points)}${between(...bounds, figureText)}`;
  }
  if (value === 1) return null;
  if (value > timesFrom) return `${ratioText(value)} times${between(low, high, ratioText)}`;
  if (value < 1 / timesFrom && value > 0) {
    return `${ratioText(1 / value)} times${between(inverse(high), inverse(low), ratioText)}`;
  }
  const perCent = (factor: number) => negatable(value > 1 ? perCentOf(factor) : -perCentOf(factor));
  const bounds = value > 1 ? ([low, high] as const) : ([high, low] as const);
  return `${perCentText(Math.abs(perCentOf(value)))} %${between(...bounds, perCent)}`;
}

/** A limit, what was measured and over how many rounds: `orders.responseUs.p95<=300ms: 412 ms (median of 8 rounds)`. */
export function limitSentence(limit: LimitRecord): string {
  const value = limitValueText(limit, limit.value);
  return `${plainText(limit.text)}: ${value} (${limit.rounds === 1 ? '1 round' : `median of ${limit.rounds} rounds`})`;
}

/** A value of a limit with the unit that the name of the result's field carries, or the limit itself. Null: `no figure`. */
export function limitValueText({ text }: LimitRecord, value: number | null): string {
  if (value === null) return 'no figure';
  const field = /([\w.-]+)\s*[<>]=/.exec(text)?.[1] ?? '';
  if (/Us(\.|$)/.test(field)) return latencyText(value);
  if (/Ms(\.|$)/.test(field)) return `${figureText(value)} ms`;
  if (/Bytes(\.|$)/.test(field)) return sizeText(value);
  return text.trimEnd().endsWith('%') ? `${figureText(value * 100)} %` : figureText(value);
}

/** The word for the whole: the record's verdict; `kept` and `broken` where there are only limits. */
export function verdictWord({ verdict, metrics }: CheckRecord): string {
  if (metrics.length > 0 || verdict === 'inconclusive') return verdict;
  return verdict === 'worse' ? 'broken' : 'kept';
}

/** What a person has to know, in one sentence: `worse: order response p50 is 9.8 % [8.1 to 11.6] slower than ...`. */
export function verdictSentence(record: CheckRecord): string {
  return `${verdictWord(record)}: ${partial(record)}${reasonText(record)}`;
}

function reasonText(record: CheckRecord): string {
  const { metrics, limits, verdict } = record;
  const broken = limits.filter((limit) => limit.verdict === 'broken');
  const worse = byWeight(metrics.filter((metric) => metric.verdict === 'worse'));
  const better = byWeight(metrics.filter((metric) => metric.verdict === 'better'));
  switch (verdict) {
    case 'worse': {
      const [first, ...others] = worse;
      if (first === undefined) {
        return broken.length === 0 ? 'see above' : broken.map(brokenText).join('; ');
      }
      return [metricSentence(first, record), ...alsoText('worse', others), ...broken.map(brokenText)].join(
        '; ',
      );
    }
    case 'better': {
      const [first, ...others] = better;
      if (first === undefined) return `nothing is worse${limitsText(record)}`;
      return [
        metricSentence(first, record),
        ...alsoText('better', others),
        `nothing is worse${limitsText(record)}`,
      ].join('; ');
    }
    case 'same':
      if (metrics.length === 0)
        return limits.length === 1 ? 'the limit holds' : `all ${limits.length} limits hold`;
      return `${sameText(record)}${limitsText(record)}`;
    case 'inconclusive':
      return [...undecidedText(record), ...alsoText('better', better), 'nothing is worse'].join('; ');
  }
}

function brokenText(limit: LimitRecord): string {
  return `the limit ${limitSentence(limit)} is broken`;
}

function sameText({ metrics, sides }: CheckRecord): string {
  const baseline = sideName(sides.a?.label ?? 'the baseline');
  if (metrics.length === 1) return `${subjectOf(metrics[0])} differs from ${baseline} by less than matters`;
  return `none of ${metrics.length} metrics differs from ${baseline} by as much as matters`;
}

function subjectOf(metric: MetricRecord | undefined): string {
  return metric === undefined ? '' : (metricWords[metric.key].subject ?? metric.name);
}

function limitsText({ limits }: CheckRecord): string {
  if (limits.length === 0) return '';
  return limits.length === 1 ? '; the limit holds' : `; all ${limits.length} limits hold`;
}

function undecidedText(record: CheckRecord): string[] {
  const metrics = record.metrics
    .filter((metric) => metric.verdict === 'inconclusive')
    .map(({ name }) => name);
  const limits = record.limits
    .filter((limit) => limit.verdict === 'inconclusive')
    .map(({ text }) => plainText(text));
  const undecided = [...metrics, ...limits];
  const all = record.metrics.length + record.limits.length;
  if (record.rounds.length === 0) return ['no round was measured'];
  if (undecided.length === 0) return ['no round can be believed'];
  const rounds = roundsText(record.rounds.length);
  if (undecided.length === all) return [`nothing could be decided in ${rounds}`];
  return [`${undecided.length} of ${all} are undecided after ${rounds}: ${list.format(undecided)}`];
}

function alsoText(verdict: string, metrics: readonly MetricRecord[]): string[] {
  return metrics.length === 0 ? [] : [`also ${verdict}: ${list.format(metrics.map(({ name }) => name))}`];
}

/** The largest change first, measured by what matters. */
function byWeight(metrics: readonly MetricRecord[]): MetricRecord[] {
  const weight = ({ change, scale, smallestEffect }: MetricRecord) => {
    if (change === null) return 0;
    const size = Math.abs(scale === 'ratio' ? Math.log(change.value) : change.value);
    return size / Math.max(effectAsHarm(smallestEffect, scale), 1e-9);
  };
  return metrics.toSorted((one, other) => weight(other) - weight(one));
}

function partial({ complete }: CheckRecord): string {
  return complete ? '' : 'interrupted; of what was measured before: ';
}

const list = new Intl.ListFormat('en-GB');

/** `1 round`, `8 rounds` */
export function roundsText(rounds: number): string {
  return rounds === 1 ? '1 round' : `${rounds} rounds`;
}

/** `main (0123456789ab)` */
export function sideText({ label, commit }: CheckRecord['sides']['b']): string {
  return commit === null || commit === label ? sideName(label) : `${sideName(label)} (${plainText(commit)})`;
}

function sideName(label: string): string {
  return plainText(label);
}

/** `228 s of a budget of 240 s: preparing 6 s, healthy trials 88 s, failing trials 131 s, the rest 3 s` */
export function spentText({ spent, budgetMs }: CheckRecord): string {
  const { preparingMs, measuringMs, totalMs } = spent;
  const measuring = scenarioNames.map((name) => [`${name} trials`, measuringMs[name] ?? 0] as const);
  const known = measuring.reduce((sum, [, ms]) => sum + ms, preparingMs);
  const parts = [
    ['preparing', preparingMs] as const,
    ...measuring,
    ['the rest', Math.max(0, totalMs - known)] as const,
  ];
  const named = parts.flatMap(([name, ms]) => (ms < 500 ? [] : [`${name} ${secondsText(ms)}`]));
  const total = `${secondsText(totalMs)} of a budget of ${secondsText(budgetMs)}`;
  return named.length === 0 ? total : `${total}: ${named.join(', ')}`;
}

function secondsText(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

/** Why pairs of trials do not count, one line each: `healthy service, round 3: the canary ...`. */
export function discardedLines({ rounds }: CheckRecord): string[] {
  return rounds.flatMap(({ round, pairs }) =>
    pairs.flatMap(({ scenario, discarded }) =>
      discarded === null ? [] : [`${scenario} service, round ${round}: ${plainText(discarded)}`],
    ),
  );
}

function withUnit(text: string, unit: string): string {
  return unit === '' ? text : `${text} ${unit}`;
}

function perCentOf(factor: number): number {
  return (factor - 1) * 100;
}

function perCentText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

function negatable(value: number): string {
  const text = perCentText(Math.abs(value));
  return value < 0 && Number(text) !== 0 ? `-${text}` : text;
}

function signed(value: number, text: (size: number) => string): string {
  const size = text(Math.abs(value));
  if (/^[0.]+$/.test(size)) return size;
  return value < 0 ? `-${size}` : `+${size}`;
}

function negated(value: number | null): number | null {
  return value === null ? null : -value;
}

function inverse(value: number | null): number | null {
  return value === null || value <= 0 ? null : 1 / value;
}
