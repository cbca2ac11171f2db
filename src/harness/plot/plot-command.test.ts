import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import type { Result } from '../result.ts';
import { sampleResult, sampleTrial } from '../trial.test.kit.ts';
import { stackResult, trialOf } from './plot.test.kit.ts';
import { plot } from './plot-command.ts';
import type { PlotOptions } from './plot-options.ts';

let scratch: string;
let out: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'plot-'));
  out = path.join(scratch, 'out');
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function written(name: string, text: string): string {
  const file = path.join(scratch, name);
  writeFileSync(file, text);
  return file;
}

function runFile(name: string, result: Result): string {
  return written(name, JSON.stringify(result));
}

function plotted(runs: string[], change: Partial<PlotOptions> = {}): string[] {
  const files = plot({
    runs,
    formats: ['svg', 'hgrm', 'hlog', 'csv'],
    requestClass: 'orders',
    slaUs: null,
    out,
    force: false,
    ...change,
  });
  return files.map((file) => path.relative(scratch, file));
}

/** The message of the UsageError that is thrown; what goes wrong must fit in one line and leave no file. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as Error;
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('it was not refused');
}

const two = sampleResult({ baseline: sampleTrial(2000), breaker: sampleTrial(1000) });

describe('plot', () => {
  it('writes a report for each run, which may be written again but takes no other place', () => {
    const runs = [runFile('a.json', { ...two, id: 'a' }), runFile('b.json', { ...two, id: 'b' })];
    const formats = ['html'] as const;
    expect(plotted(runs, { formats })).toEqual(['out/report-a.html', 'out/report-b.html']);
    expect(plotted(runs.slice(0, 1), { formats, slaUs: 123_000 })).toEqual(['out/report.html']);
    expect(readFileSync(path.join(out, 'report.html'), 'utf8')).toContain('123 ms');
    plotted(runs.slice(0, 1), { formats });
    writeFileSync(path.join(out, 'report.html'), '<!doctype html><p>mine</p>');
    expect(refusal(() => plotted(runs.slice(0, 1), { formats }))).toContain('was not written by plot');
  });

  it('writes a file per stack where a format holds one histogram, and one for all where it overlays', () => {
    expect(plotted([runFile('a.json', two)])).toEqual([
      'out/percentiles.orders.svg',
      'out/timeline.svg',
      'out/baseline.orders.hgrm',
      'out/breaker.orders.hgrm',
      'out/baseline.orders.hlog',
      'out/breaker.orders.hlog',
      'out/percentiles.orders.csv',
      'out/timeline.csv',
    ]);
    expect(readdirSync(out).length).toBe(8);
  });

  it('overlays runs, and names the run where a stack comes from more than one', () => {
    const other = { ...stackResult('breaker', [trialOf([1000])]), id: '20260102T030405Z-other' };
    expect(plotted([runFile('a.json', two), runFile('b.json', other)], { formats: ['hgrm'] })).toEqual([
      'out/baseline.orders.hgrm',
      'out/breaker@sample.orders.hgrm',
      'out/breaker@other.orders.hgrm',
    ]);
  });

  it('takes a run once, however often it is named', () => {
    const file = runFile('result.json', two);
    symlinkSync(file, path.join(scratch, 'link.json'));
    expect(plotted([file, scratch, path.join(scratch, 'link.json')], { formats: ['hlog'] }).length).toBe(2);
  });

  it('draws the class that is asked for', () => {
    expect(
      plotted([runFile('a.json', two)], { formats: ['svg', 'hgrm'], requestClass: 'bystander' }),
    ).toEqual([
      'out/percentiles.bystander.svg',
      'out/timeline.svg',
      'out/baseline.bystander.hgrm',
      'out/breaker.bystander.hgrm',
    ]);
  });

  it('writes over its own files, but over no other without force', () => {
    const run = runFile('a.json', two);
    const before = plotted([run]);
    expect(plotted([run], { slaUs: 5000 })).toEqual(before);
    for (const name of before) {
      const file = path.join(scratch, name);
      writeFileSync(file, 'my own notes\n');
      const others = before
        .filter((one) => one !== name)
        .map((one) => readFileSync(path.join(scratch, one), 'utf8'));
      expect(refusal(() => plotted([run]))).toBe(
        `${file} exists and was not written by plot; --force writes over it`,
      );
      expect(readFileSync(file, 'utf8')).toBe('my own notes\n');
      expect(
        before.filter((one) => one !== name).map((one) => readFileSync(path.join(scratch, one), 'utf8')),
      ).toEqual(others);
      plotted([run], { slaUs: 5000, force: true });
      expect(readFileSync(file, 'utf8')).not.toBe('my own notes\n');
    }
  });

  it('never writes over a folder or through a link', () => {
    const run = runFile('a.json', two);
    mkdirSync(path.join(out, 'timeline.svg'), { recursive: true });
    expect(refusal(() => plotted([run], { force: true }))).toMatch(
      /timeline.svg is in the way: it is no ordinary file/,
    );
    rmSync(path.join(out, 'timeline.svg'), { recursive: true });
    symlinkSync(run, path.join(out, 'timeline.svg'));
    expect(refusal(() => plotted([run], { force: true }))).toMatch(/timeline.svg is in the way/);
    expect(readdirSync(out)).toEqual(['timeline.svg']);
  });

  it('says when the folder cannot be written to', () => {
    const run = runFile('a.json', two);
    for (const place of [path.join(run, 'below'), '/proc/no-such-place', '/proc']) {
      const message = refusal(() => plotted([run], { out: place }));
      expect(message).toContain(`--out ${place}: cannot write there (`);
    }
  });

  const text = JSON.stringify(two);
  it.each([
    ['a file that is not there', null, /does not exist/],
    ['a truncated file', text.slice(0, -40), /JSON/],
    ['NaN', `${JSON.stringify(two, null, 2).replace(/"p95": \d+/, '"p95": NaN')}\n`, /JSON/],
    ['another schema', text.replace('"schema":1', '"schema":2'), /schema 2; this version reads schema 1/],
    [
      'a field of the wrong kind',
      text.replace(/"p95":\d+/, '"p95":"fast"'),
      /expected number, received string/,
    ],
    [
      'a histogram that is none',
      text.replace(/"all":"[^"]*"/, '"all":"AAAA"'),
      /"baseline", trial 1: histograms.orders.all/,
    ],
    ['no trial', JSON.stringify({ ...two, stacks: [] }), /no trial was measured/],
  ])('refuses %s in one line and writes nothing', (_what, content, reason) => {
    const file = path.join(scratch, 'bad.json');
    if (content !== null) writeFileSync(file, content);
    const message = refusal(() => plotted([file]));
    expect(message).toContain(file);
    expect(message).toMatch(reason);
    expect(existsSync(out)).toBe(false);
  });

  it('draws a partial run and trials that are all invalid', () => {
    const partial = { ...stackResult('breaker', [trialOf([1000], { valid: false })]), complete: false };
    plotted([runFile('a.json', partial)]);
    const svg = readFileSync(path.join(out, 'percentiles.orders.svg'), 'utf8');
    expect(svg).toContain('breaker, invalid trials, partial run');
  });
});
