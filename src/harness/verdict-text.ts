/** Verdict text: what each stack did against the first one, in plain words. Pure. */
import type { ComparedStack, Comparison, MetricRatio } from './comparison.ts';
import { isMeasured, type MetricKey, metrics, metricText } from './metrics.ts';
import { plainText, ratioText } from './number-text.ts';
import { intervalTrialsMin } from './statistics.ts';
import { wrapped } from './wrapped.ts';

export interface StackVerdict {
  /** `breaker against baseline (5 rounds, ...)`, or why they are not compared. */
  readonly heading: string;
  /** `answers orders 29 times sooner and other traffic 8.6 times sooner`: what a person has to know first. */
  readonly headline: string;
  /** Empty: not compared. */
  readonly lines: readonly { readonly about: string; readonly text: string }[];
}

const list = new Intl.ListFormat('en-GB');

/** What is said about whom, in the order in which it is said. */
const subjects: readonly (readonly [about: string, keys: readonly MetricKey[]])[] = [
  ['orders', ['orderP95', 'goodput', 'withinSla']],
  ['bystanders', ['bystanderP99']],
  ['users', ['usersP99', 'usersErrorRate']],
  ['event loop', ['loopDelayP99']],
  ['money', ['chargedTwice', 'chargedNotConfirmed']],
];

/** One verdict for each stack but the first. */
export function stackVerdicts(comparison: Comparison): StackVerdict[] {
  const [first, ...others] = comparison.stacks;
  return first === undefined ? [] : others.map((stack) => verdictOn(stack, first));
}

/** All verdicts, in lines of at most `columns` characters. */
export function verdictText(comparison: Comparison, columns = 100): string {
  return stackVerdicts(comparison)
    .map(({ heading, lines }) =>
      [
        `${heading}${lines.length > 0 ? ':' : '.'}`,
        ...lines.map(({ about, text }) => wrapped(`  ${about.padEnd(10)}  `, text, columns)),
      ].join('\n'),
    )
    .join('\n\n');
}

function verdictOn(stack: ComparedStack, first: ComparedStack): StackVerdict {
  const pair = `${plainText(stack.name)} against ${plainText(first.name)}`;
  const rounds = stack.againstFirst?.rounds ?? 0;
  if (rounds === 0) {
    const invalid = [stack, first].filter(({ summary }) => summary.validTrials === 0);
    const [one, other] = invalid;
    const oneOnly =
      one === undefined
        ? 'there is no round in which both are valid'
        : `${plainText(one.name)} has no valid trial`;
    const why = other === undefined ? oneOnly : 'neither of them has a valid trial';
    return { heading: `${pair}: not compared, because ${why}`, headline: '', lines: [] };
  }
  return {
    heading: `${pair} (${basisText(rounds)})`,
    headline: headlineOf(stack),
    lines: subjects
      .filter(([, keys]) => keys.some((key) => isMeasured(key, [stack, first])))
      .map(([about, keys]) => ({ about, text: subjectText(keys, stack, first) })),
  };
}

/** What the figures of the headline mean to the one who reads it: durations by how often, counts by how much. */
const plainWords: readonly (readonly [key: MetricKey, words: (lower: boolean, much: string) => string])[] = [
  ['orderP95', (lower, much) => `answers orders ${much}${lower ? 'sooner' : 'later'}`],
  ['bystanderP99', (lower, much) => `answers other traffic ${much}${lower ? 'sooner' : 'later'}`],
  ['usersP99', (lower, much) => `answers user requests ${much}${lower ? 'sooner' : 'later'}`],
  ['usersErrorRate', (lower, much) => `fails ${much}${lower ? 'fewer' : 'more'} user requests`],
  ['goodput', (lower, much) => `confirms ${much}${lower ? 'fewer' : 'more'} orders`],
  ['withinSla', (lower, much) => `confirms ${much}${lower ? 'fewer' : 'more'} orders within the SLA`],
  ['chargedTwice', (lower, much) => `charges ${much}${lower ? 'fewer' : 'more'} orders twice`],
];

function headlineOf({ againstFirst }: ComparedStack): string {
  const parts = plainWords.flatMap(([key, words]) => {
    const compared = againstFirst?.ratios[key];
    if (compared?.verdict !== 'lower' && compared?.verdict !== 'higher') return [];
    const much = metrics[key].scale === 'log' ? timesText(compared) : shareText(compared);
    return [words(compared.verdict === 'lower', much)];
  });
  return parts.length === 0 ? 'makes no difference that can be told' : list.format(parts);
}

/** `29 times `, or nothing where that cannot be told. */
function timesText({ ratio, atLeast }: MetricRatio): string {
  if (ratio !== null) return `${ratioText(Math.max(ratio, 1 / ratio))} times `;
  return atLeast === null ? '' : `at least ${ratioText(atLeast)} times `;
}

/** `20 % `; nothing beyond twice as many, where per cent say little: the figures stand below. */
function shareText({ ratio }: MetricRatio): string {
  return ratio === null || ratio > 2 ? '' : `${ratioText(Math.abs(1 - ratio) * 100)} % `;
}

function basisText(rounds: number): string {
  if (rounds === 1) return 'one trial each; another run may differ';
  if (rounds < intervalTrialsMin) return `${rounds} rounds, too few for intervals`;
  return `${rounds} rounds, 95 % intervals in brackets`;
}

/** Differences first, each with its figures; what does not differ, or cannot be told, by name alone. */
function subjectText(keys: readonly MetricKey[], stack: ComparedStack, first: ComparedStack): string {
  const ratioOf = (key: MetricKey) => stack.againstFirst?.ratios[key];
  const named = (what: string, of: (key: MetricKey) => boolean) => {
    const names = keys.filter(of).map((key) => metrics[key].name);
    return names.length === 0 ? [] : [`${what} ${list.format(names)}`];
  };
  const differing = keys.filter((key) => ['lower', 'higher'].includes(ratioOf(key)?.verdict ?? 'unknown'));
  return [
    ...differing.map((key) => differenceText(key, stack, first)),
    ...named('no difference in', (key) => ratioOf(key)?.verdict === 'no difference'),
    ...named('at the noise floor in both:', (key) => ratioOf(key)?.noiseFloor === 'both'),
    ...named('too few samples to compare', (key) => {
      const ratio = ratioOf(key);
      return ratio?.verdict === 'unknown' && ratio.noiseFloor !== 'both';
    }),
  ].join('; ');
}

/** `order response p95 116 ms instead of 3,023 ms (26 times lower [22–31])` */
function differenceText(key: MetricKey, stack: ComparedStack, first: ComparedStack): string {
  const { unit } = metrics[key];
  const figure = ({ values }: ComparedStack) => metricText(metrics[key], values[key].value);
  const figures = `${figure(stack)} instead of ${figure(first)}${unit === '' ? '' : ` ${unit}`}`;
  return `${metrics[key].name} ${figures} (${differenceWords(key, stack)})`;
}

/** `26 times lower [22–31]`, or in words why there is no such number; for a figure that is lower or higher. */
export function differenceWords(key: MetricKey, stack: ComparedStack): string {
  const compared = stack.againstFirst?.ratios[key];
  if (compared === undefined) return '';
  const { ratio, interval, verdict, noiseFloor } = compared;
  const difference = `${timesText(compared)}${verdict}`;
  if (ratio === null) {
    return noiseFloor === 'none'
      ? difference
      : `${difference}, ${verdict === 'lower' ? 'at' : 'from'} the noise floor`;
  }
  if (interval === null) return difference;
  // 26 times lower reads better than 0.038 times as high; the interval turns over with it.
  const [low, high] = ratio < 1 ? [1 / interval.high, 1 / interval.low] : [interval.low, interval.high];
  return `${difference} [${ratioText(low)}–${ratioText(high)}]`;
}
