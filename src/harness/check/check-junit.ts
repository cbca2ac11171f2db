/** Check JUnit: a check as a test report, a test case per metric and limit, which every CI can show. Pure. */
import { plainText } from '../number-text.ts';
import { escapeXml } from '../xml-text.ts';
import type { CheckRecord } from './check-record.ts';
import { limitSentence, metricHeading, metricSentence, verdictSentence } from './check-words.ts';

interface TestCase {
  readonly name: string;
  /** Groups the cases in most viewers. */
  readonly className: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  readonly message: string;
  readonly type: string;
}

/** @param strict Whether what is inconclusive has failed. Otherwise it counts as skipped. */
export function checkJunit(record: CheckRecord, strict: boolean): string {
  const cases = [...metricCases(record, strict), ...limitCases(record, strict)];
  const count = (verdict: TestCase['verdict']) => cases.filter((one) => one.verdict === verdict).length;
  const totals = attributes({
    tests: cases.length,
    failures: count('failed'),
    errors: 0,
    skipped: count('skipped'),
    time: record.spent.totalMs / 1000,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: 'wavetank check' })} ${totals}>`,
    `  <testsuite ${attributes({ name: 'wavetank check', timestamp: record.startedAt })} ${totals}>`,
    ...cases.map(caseText),
    `    <system-out>${escapeXml([verdictSentence(record), ...record.warnings].map(plainText).join('\n'))}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function metricCases(record: CheckRecord, strict: boolean): TestCase[] {
  return record.metrics.map((metric) => ({
    name: metricHeading(metric),
    className: `wavetank.${metric.scenario}`,
    verdict: outcomeOf(metric.verdict, strict),
    message: metricSentence(metric, record),
    type: metric.verdict,
  }));
}

function limitCases({ limits }: CheckRecord, strict: boolean): TestCase[] {
  return limits.map((limit) => ({
    name: plainText(limit.text),
    className: `wavetank.${limit.scenario}.limits`,
    verdict: outcomeOf(limit.verdict, strict),
    message: limitSentence(limit),
    type: limit.verdict,
  }));
}

function outcomeOf(verdict: string, strict: boolean): TestCase['verdict'] {
  if (verdict === 'worse' || verdict === 'broken') return 'failed';
  if (verdict !== 'inconclusive') return 'passed';
  return strict ? 'failed' : 'skipped';
}

function caseText({ name, className, verdict, message, type }: TestCase): string {
  const head = `    <testcase ${attributes({ name, classname: className, time: 0 })}`;
  if (verdict === 'passed') return `${head}/>`;
  const text = type === 'inconclusive' ? `inconclusive: ${message}` : message;
  const inner =
    verdict === 'failed'
      ? `<failure ${attributes({ message: text, type })}>${escapeXml(text)}</failure>`
      : `<skipped ${attributes({ message: text })}/>`;
  return `${head}>${inner}</testcase>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ');
}
