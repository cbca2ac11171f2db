/** Check text: a check as a table and a few lines, for a terminal of 80 columns or a log. Pure. */
import pc from 'picocolors';
import { plainText } from '../number-text.ts';
import { plainTable } from '../plain-table.ts';
import type { Colors } from '../terminal-marks.ts';
import { wrapped } from '../wrapped.ts';
import { barHeading, barWidth, changeBar } from './change-bar.ts';
import { scenarioNames } from './check-metrics.ts';
import type { CheckRecord, LimitRecord, MetricRecord } from './check-record.ts';
import {
  changeText,
  discardedLines,
  figureText,
  limitValueText,
  metricHeading,
  roundsText,
  sideText,
  spentText,
  verdictSentence,
  verdictWord,
} from './check-words.ts';

const columns = 80;

/** Ends with the verdict, where a person who has waited looks first. */
export function checkText(record: CheckRecord, colors: Colors = pc.createColors(false)): string {
  const colored = colorOf(colors);
  const sentence = wrapped('', verdictSentence(record), columns);
  const word = verdictWord(record);
  return [
    ...sideLines(record),
    ...metricLines(record, colored),
    ...limitLines(record, colored),
    ...listed('left out', discardedLines(record)),
    ...listed('warnings', record.warnings.map(plainText)),
    '',
    wrapped('', `${spentText(record)}.`, columns),
    '',
    colored(record.verdict, word) + sentence.slice(word.length),
  ].join('\n');
}

type Colored = (verdict: MetricRecord['verdict'] | LimitRecord['verdict'], text: string) => string;

function colorOf(colors: Colors): Colored {
  const byVerdict = {
    worse: colors.red,
    broken: colors.red,
    better: colors.green,
    same: colors.green,
    kept: colors.green,
    inconclusive: colors.yellow,
  };
  return (verdict, text) => byVerdict[verdict](text);
}

function sideLines({ sides, aMeasuredEarlier, pattern }: CheckRecord): string[] {
  const earlier = aMeasuredEarlier ? ', measured earlier' : '';
  return [
    ...(sides.a === null ? [] : [`A  ${sideText(sides.a)}${earlier}`]),
    `${sides.a === null ? '' : 'B  '}${sideText(sides.b)}, ${plainText(pattern)}`,
  ];
}

function metricLines(record: CheckRecord, colored: Colored): string[] {
  const { metrics } = record;
  if (metrics.length === 0) return [];
  const cellsOf = (metric: MetricRecord) => [
    figureText(metric.a),
    figureText(metric.b),
    changeText(metric),
    changeBar(metric).padEnd(barWidth),
    decisionText(metric),
  ];
  const head = ['A', 'B', 'change [95 %]', barHeading, 'verdict'];
  // The names take what the other columns leave.
  const taken = head.map((heading, index) =>
    Math.max(heading.length, ...metrics.map((metric) => cellsOf(metric)[index]?.length ?? 0)),
  );
  const nameWidth = Math.max(14, columns - taken.reduce((sum, width) => sum + width + 1, 0));
  const rows = scenarioNames.flatMap((scenario) => {
    const ofScenario = metrics.filter((metric) => metric.scenario === scenario);
    if (ofScenario.length === 0) return [];
    return [
      [`${scenario} service:`],
      ...ofScenario.map((metric) => [
        wrapped(' ', metricHeading(metric).replace(/, (?=\S+$)/, ',\u00a0'), nameWidth).replace(
          '\u00a0',
          ' ',
        ),
        ...cellsOf(metric).map((cell, index) => (index < 3 ? cell : colored(metric.verdict, cell))),
      ]),
    ].map((cells) => [...cells, ...new Array<string>(head.length + 1 - cells.length).fill('')]);
  });
  return [
    '',
    plainTable({
      head: ['', ...head],
      alignments: ['left', 'right', 'right', 'left', 'left', 'left'],
      rows,
      gap: 1,
    }),
    wrapped('', legend, columns),
  ];
}

const legend =
  '● the change, ━ its 95 % interval, ┊ the smallest change that matters; worse in 5: decided after 5 rounds';

/** `worse in 5`: decided after five rounds. */
function decisionText({ verdict, decidedInRound }: MetricRecord): string {
  return decidedInRound === null ? verdict : `${verdict} in ${decidedInRound}`;
}

function limitLines({ limits }: CheckRecord, colored: Colored): string[] {
  if (limits.length === 0) return [];
  const rows = limits.map((limit) => [
    ` ${plainText(limit.text)}`,
    limitValueText(limit, limit.value),
    colored(limit.verdict, limit.verdict),
    roundsText(limit.rounds),
  ]);
  return [
    '',
    plainTable({
      head: ['limits:', '', '', ''],
      alignments: ['left', 'right', 'left', 'left'],
      rows,
      gap: 2,
    }),
  ];
}

function listed(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return ['', `${heading}:`, ...lines.map((line) => wrapped('  ', line, columns))];
}
