/** Check markdown: a check for a comment on a pull request or the summary of a CI step: the verdict first. Pure. */
import { plainText } from '../number-text.ts';
import { scenarioNames } from './check-metrics.ts';
import type { CheckRecord, MetricRecord } from './check-record.ts';
import {
  changeText,
  discardedLines,
  effectText,
  figureText,
  limitValueText,
  metricHeading,
  roundsText,
  sideText,
  spentText,
  verdictSentence,
  verdictWord,
} from './check-words.ts';

/** GitHub-flavoured; GitLab reads it too. */
export function checkMarkdown(record: CheckRecord): string {
  const word = verdictWord(record);
  const reason = verdictSentence(record).slice(`${word}: `.length);
  return [
    `### ${marks[record.verdict]} wavetank check: ${word}`,
    '',
    sentenceText(reason),
    ...metricTable(record),
    ...limitTable(record),
    ...record.warnings.flatMap((warning) => ['', `> **Warning:** ${escaped(warning)}`]),
    '',
    ...details(record),
    '',
  ].join('\n');
}

/** Told apart by shape as well. */
const marks = { worse: '❌', better: '⬆️', same: '✅', inconclusive: '❔', broken: '❌', kept: '✅' } as const;

function metricTable({ metrics, sides }: CheckRecord): string[] {
  if (metrics.length === 0) return [];
  const row = (metric: MetricRecord) =>
    tableRow([
      escaped(metricHeading(metric)),
      figureText(metric.a),
      figureText(metric.b),
      escaped(changeText(metric)),
      effectText(metric),
      `${marks[metric.verdict]} ${metric.verdict}`,
      metric.decidedInRound === null ? '-' : `${metric.decidedInRound}`,
    ]);
  return [
    '',
    tableRow([
      'metric',
      code(sides.a?.label ?? 'A'),
      code(sides.b.label),
      'change [95 %]',
      'matters from',
      'verdict',
      'in round',
    ]),
    '|:--|--:|--:|--:|--:|:--|--:|',
    ...scenarioNames.flatMap((scenario) => {
      const ofScenario = metrics.filter((metric) => metric.scenario === scenario);
      if (ofScenario.length === 0) return [];
      return [tableRow([`**${scenario} service**`, '', '', '', '', '', '']), ...ofScenario.map(row)];
    }),
  ];
}

function limitTable({ limits }: CheckRecord): string[] {
  if (limits.length === 0) return [];
  return [
    '',
    tableRow(['limit', 'service', 'measured', 'rounds', 'verdict']),
    '|:--|:--|--:|--:|:--|',
    ...limits.map((limit) =>
      tableRow([
        code(limit.text),
        limit.scenario,
        limitValueText(limit, limit.value),
        `${limit.rounds}`,
        `${marks[limit.verdict]} ${limit.verdict}`,
      ]),
    ),
  ];
}

function details(record: CheckRecord): string[] {
  const { sides, host, scenarios, pattern, alpha, aMeasuredEarlier } = record;
  const discarded = discardedLines(record);
  const earlier = aMeasuredEarlier ? ', measured earlier' : '';
  const facts = [
    ...(sides.a === null ? [] : [`A: ${code(sideText(sides.a))}${earlier}`]),
    `${sides.a === null ? 'measured' : 'B'}: ${code(sideText(sides.b))}`,
    `pattern: ${code(pattern)}`,
    ...scenarios.map(({ name, flags }) => `${name} service: ${code(flags)}`),
    `${roundsText(record.rounds.length)}; a wrong claim in at most ${figureText(alpha * 100)} % of such checks`,
    `time: ${spentText(record)}`,
    `host: ${escaped(`${host.cpu}, ${host.cores} cores, Node ${host.node}`)}`,
    `to repeat: ${code(record.command)}`,
  ];
  return [
    '<details><summary>How it was measured</summary>',
    '',
    ...facts.map((fact) => `- ${fact}`),
    ...(discarded.length === 0
      ? []
      : ['', 'Left out:', '', ...discarded.map((line) => `- ${escaped(line)}`)]),
    '',
    '</details>',
  ];
}

function sentenceText(sentence: string): string {
  return escaped(`${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`);
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Text in which nothing is markup, and nobody is mentioned. */
export function escaped(text: string): string {
  return (
    plainText(text)
      .replaceAll(/[\\`*_{}[\]<>|#~$]/g, String.raw`\$&`)
      .replaceAll('&', '&amp;')
      // A comment that mentions somebody sends a mail. An invisible character between keeps it from that.
      .replaceAll('@', '@\u200b')
  );
}

/** Text as code, which may stand in a table. */
export function code(text: string): string {
  const plain = plainText(text).replaceAll('|', String.raw`\|`);
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$/.test(plain) || plain === '' ? ' ' : '';
  return `${fence}${space}${plain}${space}${fence}`;
}
