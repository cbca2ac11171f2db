import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CheckFormat, checkFormatNames } from './check-formats.ts';
import { checkMarkdown } from './check-markdown.ts';
import { exitCodeOf, printCheck } from './check-output.ts';
import { sampleRecord, worseRecord } from './check-record.test.kit.ts';
import { type CheckRecord, checkRecordSchema } from './check-record.ts';

let scratch: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'check-output-'));
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function printed(record: CheckRecord, format: CheckFormat, env: NodeJS.ProcessEnv = {}, strict = false) {
  const text = { stdout: '', stderr: '' };
  const streamTo = (name: 'stdout' | 'stderr') => ({
    isTTY: false,
    write: (part: string | Uint8Array) => {
      text[name] += String(part);
      return true;
    },
  });
  printCheck(record, format, strict, { stdout: streamTo('stdout'), stderr: streamTo('stderr'), env });
  return text;
}

const undecided = sampleRecord({ verdict: 'inconclusive' });

describe('printCheck', () => {
  test('prints the record itself as JSON', () => {
    const { stdout } = printed(worseRecord, 'json');
    expect(checkRecordSchema.parse(JSON.parse(stdout))).toEqual(worseRecord);
  });

  test.each(checkFormatNames)(
    'prints %s without colours where it is no terminal, and ends its last line',
    (format) => {
      const { stdout, stderr } = printed(worseRecord, format);
      expect(stdout).not.toContain('\u001b');
      expect(stdout).toMatch(/[^\n]\n$/);
      expect(stderr).toBe('');
    },
  );

  test('appends to the summary of a GitHub step, with that format alone', () => {
    const summary = path.join(scratch, 'summary.md');
    writeFileSync(summary, 'before\n');
    printed(worseRecord, 'text', { GITHUB_STEP_SUMMARY: summary });
    expect(readFileSync(summary, 'utf8')).toBe('before\n');
    printed(worseRecord, 'github', { GITHUB_STEP_SUMMARY: summary });
    expect(readFileSync(summary, 'utf8')).toBe(`before\n${checkMarkdown(worseRecord)}\n`);
  });

  test('says in a line when the summary cannot be written, and prints all the same', () => {
    const { stdout, stderr } = printed(worseRecord, 'github', {
      GITHUB_STEP_SUMMARY: path.join(scratch, 'no', 'x'),
    });
    expect(stdout).toContain('::error ');
    expect(stderr).toMatch(/^wavetank: GITHUB_STEP_SUMMARY cannot be written: ENOENT.*\n$/);
  });

  test('warns that an inconclusive check ends with 0, unless it does not', () => {
    expect(printed(undecided, 'text').stderr).toMatch(/^wavetank: warning: inconclusive.*\n$/);
    expect(printed(undecided, 'text', {}, true).stderr).toBe('');
  });
});

test('a check ends with 1 when something is worse, and with 3 when nothing is decided and that is asked for', () => {
  const codes = (['worse', 'better', 'same', 'inconclusive'] as const).map((verdict) =>
    [false, true].map((strict) => exitCodeOf(sampleRecord({ verdict }), strict)),
  );
  expect(codes).toEqual([
    [1, 1],
    [0, 0],
    [0, 0],
    [0, 3],
  ]);
});
