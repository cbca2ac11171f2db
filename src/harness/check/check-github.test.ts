import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkGithub, messageText, propertyText } from './check-github.ts';
import { checkMetricKeys } from './check-metrics.ts';
import {
  sampleLimit,
  sampleMetric,
  sampleRecord,
  undecidedP99,
  worseRecord,
} from './check-record.test.kit.ts';

function commands(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('::'));
}

/** What the runner makes of a command (actions/runner, ActionCommand.cs). */
function parsed(command: string): { level: string; title: string; message: string } {
  const [, level = '', title = '', message = ''] = /^::(\w+) title=([^,:]*)::(.*)$/.exec(command) ?? [];
  return { level, title: unescaped(title), message: unescaped(message) };
}

function unescaped(text: string): string {
  const codes: Record<string, string> = { '%25': '%', '%0A': '\n', '%0D': '\r', '%3A': ':', '%2C': ',' };
  return text.replaceAll(/%(25|0A|0D|3A|2C)/g, (code) => codes[code] ?? code);
}

describe('checkGithub', () => {
  test('annotates the whole and each metric that is worse', () => {
    expect(commands(checkGithub(worseRecord, false)).map(parsed)).toEqual([
      {
        level: 'error',
        title: 'wavetank check: worse',
        message:
          'worse: order response p50 is 9.8 % [8.1 to 11.6] slower than main (0.61 instead of 0.56 ms)',
      },
      {
        level: 'error',
        title: 'worse: order response p50',
        message: 'order response p50 is 9.8 % [8.1 to 11.6] slower than main (0.61 instead of 0.56 ms)',
      },
    ]);
  });

  test.each([
    ['a notice for a check that found nothing', sampleRecord(), false, ['notice']],
    [
      'a warning where nothing is decided',
      sampleRecord({ metrics: [undecidedP99], verdict: 'inconclusive' }),
      false,
      ['warning'],
    ],
    [
      'an error for that when strict',
      sampleRecord({ metrics: [undecidedP99], verdict: 'inconclusive' }),
      true,
      ['error'],
    ],
    [
      'a warning for each of the check itself',
      sampleRecord({ warnings: ['a', 'b'] }),
      false,
      ['notice', 'warning', 'warning'],
    ],
    [
      'an error for a limit',
      sampleRecord({ limits: [sampleLimit({ verdict: 'broken' })], verdict: 'worse' }),
      false,
      ['error', 'error'],
    ],
  ])('has %s', (_what, record, strict, levels) => {
    expect(commands(checkGithub(record, strict)).map((command) => parsed(command).level)).toEqual(levels);
  });

  test('has no more errors than GitHub shows', () => {
    const metrics = checkMetricKeys.map((key) => sampleMetric(key, { verdict: 'worse' }));
    expect(commands(checkGithub(sampleRecord({ metrics, verdict: 'worse' }), false))).toHaveLength(10);
  });

  test('lets no text of a record become a command', () => {
    const hostile = '::set-output name=x::y\n::error::fooled ##[error]fooled';
    const record = sampleRecord({
      sides: { a: { label: hostile, commit: hostile }, b: { label: hostile, commit: null } },
      warnings: [hostile],
    });
    const lines = checkGithub(record, false).split('\n');
    expect(lines.filter((line) => line.includes('::')).map((line) => parsed(line).level)).toEqual([
      'notice',
      'warning',
    ]);
    // The runner also looks for the older form, anywhere in a line that is no new command.
    expect(lines.filter((line) => line.includes('##[') && !line.startsWith('::'))).toEqual([]);
  });
});

test('what is escaped comes back as it was, in one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(unescaped(messageText(text))).toBe(text);
      expect(unescaped(propertyText(text))).toBe(text);
      expect(messageText(text)).not.toMatch(/[\r\n]/);
      expect(propertyText(text)).not.toMatch(/[\r\n:,]/);
    }),
  );
});
