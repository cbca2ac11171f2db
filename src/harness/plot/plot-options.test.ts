import { describe, expect, it } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { parsePlotOptions } from './plot-options.ts';

function options(...argv: string[]) {
  const request = parsePlotOptions(argv);
  if (request.kind !== 'plot') throw new Error(request.text);
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

  it.each([
    [[], /missing required argument 'run'/],
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
    expect(request.kind === 'print' && request.text).toMatch(/Usage: wavetank plot \[options\] <run...>/);
  });
});
