/** Check GitHub: a check as the log of a GitHub Actions step, whose commands become annotations. Pure. */
import type { CheckRecord } from './check-record.ts';
import { limitSentence, metricSentence, verdictSentence, verdictWord } from './check-words.ts';
import { checkText } from './check-text.ts';

interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

/** GitHub shows ten of each level for a step. */
const shownMax = 10;

/**
 * The text of the check, and behind it a command for each annotation.
 *
 * @param strict Whether what is inconclusive is an error. Otherwise it is a warning.
 */
export function checkGithub(record: CheckRecord, strict: boolean): string {
  return [disarmed(checkText(record)), ...annotationsOf(record, strict).map(commandText)].join('\n');
}

function annotationsOf(record: CheckRecord, strict: boolean): Annotation[] {
  const worse: Annotation[] = record.metrics
    .filter(({ verdict }) => verdict === 'worse')
    .map((metric) => ({
      level: 'error',
      title: `worse: ${metric.name}`,
      message: metricSentence(metric, record),
    }));
  const broken: Annotation[] = record.limits
    .filter(({ verdict }) => verdict === 'broken')
    .map((limit) => ({ level: 'error', title: 'limit broken', message: limitSentence(limit) }));
  const warnings: Annotation[] = record.warnings.map((message) => ({
    level: 'warning',
    title: 'wavetank check',
    message,
  }));
  const whole: Annotation = {
    level: wholeLevel(record, strict),
    title: `wavetank check: ${verdictWord(record)}`,
    message: verdictSentence(record),
  };
  // The whole first: with many annotations the last ones are not shown.
  return [whole, ...[...worse, ...broken].slice(0, shownMax - 1), ...warnings.slice(0, shownMax - 1)];
}

function wholeLevel({ verdict }: CheckRecord, strict: boolean): Annotation['level'] {
  if (verdict === 'worse') return 'error';
  if (verdict !== 'inconclusive') return 'notice';
  return strict ? 'error' : 'warning';
}

function commandText({ level, title, message }: Annotation): string {
  return `::${level} title=${propertyText(title)}::${messageText(message)}`;
}

/** As the runner reads it back: a line is a command, `%` escapes. */
export function messageText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** In a property `:` and `,` are separators too. */
export function propertyText(text: string): string {
  return messageText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Text of which the runner takes no line for a command. */
function disarmed(text: string): string {
  return text.replaceAll('::', ': :').replaceAll('##[', '## [');
}
