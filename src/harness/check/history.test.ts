import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { MachineError } from '../machine-error.ts';
import { sampleRecord, slowerP50, worseRecord } from './check-record.test.kit.ts';
import { historyLineOf, historyMark } from './history-line.ts';
import { appendHistory, readHistory } from './history.ts';

let scratch: string;
let file: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'history-'));
  file = path.join(scratch, 'runs', 'history.ndjson');
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function readText(text: string) {
  const named = path.join(scratch, 'history.ndjson');
  writeFileSync(named, text);
  return readHistory(named);
}

const first = sampleRecord({ id: 'first', sides: { a: null, b: { label: 'zürich ✓', commit: null } } });
const line = (record = first) => JSON.stringify(historyLineOf(record));

describe('appendHistory', () => {
  test('adds a line per check, and makes the file and its folder', () => {
    appendHistory(file, first);
    appendHistory(file, worseRecord);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
    expect(readHistory(file)).toEqual({
      lines: [historyLineOf(first), historyLineOf(worseRecord)],
      warnings: [],
    });
  });

  test('keeps what a person needs to know of a check years later', () => {
    const { a, b, host, metrics, verdict } = historyLineOf(worseRecord);
    expect({ a, b, host, verdict }).toEqual({
      a: { label: 'main', commit: '0123456789ab' },
      b: { label: 'working tree', commit: '456789abcdef' },
      host: { node: 'v20.20.2', cpu: 'sample', cores: 2 },
      verdict: 'worse',
    });
    expect(metrics[0]).toMatchObject({
      key: slowerP50.key,
      a: 0.56,
      b: 0.61,
      change: 1.098,
      low: 1.081,
      high: 1.116,
    });
  });

  test('begins each line with the mark by which a torn one is known', () => {
    expect(line().startsWith(historyMark)).toBe(true);
  });

  test('loses no whole line to one that was cut off anywhere', () => {
    const whole = Buffer.from(`${line()}\n`);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: whole.length }), (length) => {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, Buffer.concat([whole, whole.subarray(0, length)]));
        appendHistory(file, worseRecord);
        const { lines, warnings } = readHistory(file);
        const torn = length < whole.length - 1;
        const cut = torn ? [] : [historyLineOf(first)];
        expect(lines).toEqual([historyLineOf(first), ...cut, historyLineOf(worseRecord)]);
        expect(warnings).toEqual(torn ? [`${file}, line 2: not written to its end; left out`] : []);
      }),
      { numRuns: 60 },
    );
  });

  test('says when it cannot be written', () => {
    mkdirSync(file, { recursive: true });
    expect(() => {
      appendHistory(file, first);
    }).toThrow(MachineError);
    expect(() => {
      appendHistory(path.join('/proc', 'history.ndjson'), first);
    }).toThrow(/^--history \/proc\/history\.ndjson cannot be written: /);
  });
});

describe('readHistory', () => {
  test('drops a last line that was not written to its end, and says so', () => {
    const { lines, warnings } = readText(`${line()}\n${line().slice(0, 100)}`);
    expect(lines).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/history\.ndjson, line 2: not written to its end/)]);
  });

  test('reads an empty file, and empty lines', () => {
    expect(readText('').lines).toEqual([]);
    expect(readText(`\n${line()}\n\n`).lines).toHaveLength(1);
  });

  test.each([
    ['no JSON', 'hello', /line 2: Unexpected token/],
    ['other JSON', '{"level":30}', /line 2: not a check/],
    ['null', 'null', /line 2: not a check/],
    [
      'another schema',
      line().replace('"schema":1', '"schema":2'),
      /line 2: schema 2; this version reads schema 1/,
    ],
    ['a field of the wrong kind', line().replace('"cores":2', '"cores":"two"'), /line 2: .*host\.cores/],
  ])('refuses %s by file and line', (_what, second, message) => {
    const read = () => readText(`${line()}\n${second}\n`);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
    expect(read).toThrow(/^[^\n]+history\.ndjson, line 2: [^\n]+$/);
  });

  test('says when there is no file, or it is none', () => {
    expect(() => readHistory(file)).toThrow(/does not exist; the first check writes it/);
    expect(() => readHistory(scratch)).toThrow(/cannot be read: EISDIR/);
  });
});
