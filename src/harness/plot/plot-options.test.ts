import { describe, expect, it } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { parsePlotOptions } from './plot-options.ts';

function options(...argv: string[]) {
  const request = parsePlotOptions(argv);
  if (request.kind !== 'plot') throw new Error(request.kind);
  return request.options;
}

describe('parsePlotOptions', () => {
  it('draws the orders as SVG into the folder of the run, unless told otherwise', () => {
    expect(options('runs/a')).toEqual({
      runs: ['runs/a'],
      formats: ['svg'],
      requestClass: 'orders',
      slaUs: null,
      out: 'runs/a',
      force: false,
    });
    expect(options('runs/a/result.json').out).toBe('runs/a');
    expect(options('runs/a', 'runs/b').out).toBe('.');
  });

  it('reads every option', () => {
    expect(
      options(
        'a',
        'b',
        '--format',
        'hlog, csv,hlog',
        '--class',
        'bystander',
        '--sla',
        '200ms',
        '--out',
        'x',
        '--force',
      ),
    ).toEqual({
      runs: ['a', 'b'],
      formats: ['hlog', 'csv'],
      requestClass: 'bystander',
      slaUs: 200_000,
      out: 'x',
      force: true,
    });
  });

  it('draws the history of checks into its own folder', () => {
    expect(parsePlotOptions(['--history'])).toEqual({
      kind: 'history',
      options: { file: 'runs/history.ndjson', out: 'runs', force: false },
    });
    expect(parsePlotOptions(['--history', 'a/h.ndjson', '--force'])).toMatchObject({
      options: { file: 'a/h.ndjson', out: 'a', force: true },
    });
    expect(parsePlotOptions(['--history', 'a/h.ndjson', '--out', 'b'])).toMatchObject({
      options: { out: 'b' },
    });
  });

  it.each([
    [[], /missing required argument 'run': the folder of a run, or --history/],
    [['--history', 'h.ndjson', 'runs/a'], /--history draws checks, not runs; "runs\/a" is one too many/],
    [
      ['--history', 'h.ndjson', '--sla', '200ms'],
      /--sla does not go with --history; allowed beside it: --out, --force/,
    ],
    [['--history', '--format', 'csv'], /--format does not go with --history/],
    [['a', '--format', 'png'], /--format.*"png" is no format; allowed: svg, html, hgrm, hlog, csv/],
    [['a', '--class', 'all'], /--class.*Allowed choices are orders, bystander/],
    [['a', '--sla', 'fast'], /--sla.*allowed: a duration from 1ms to 2m/],
    [['a', '--colour'], /unknown option '--colour'; allowed: --version, --format/],
  ])('refuses %j in one line', (argv, message) => {
    expect(() => parsePlotOptions(argv)).toThrow(UsageError);
    expect(() => parsePlotOptions(argv)).toThrow(message);
  });

  it('prints its help', () => {
    const request = parsePlotOptions(['--help']);
    expect(request.kind === 'print' && request.text).toMatch(
      /Usage: wavetank plot \[options\] <run...>\n +wavetank plot --history/,
    );
  });
});
