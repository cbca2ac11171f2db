import { describe, expect, it } from 'vitest';
import { parseBytes, parseDurationMs, parseNumber, sizeText } from './units.ts';

const hour = { min: 0, max: 3_600_000 };

describe('parseDurationMs', () => {
  it.each([
    ['500ms', 500],
    ['20s', 20_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
    ['0', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDurationMs(text, hour)).toBe(ms);
  });

  it.each(['', '5', '20x', '-1s', '1e3ms', '1 week', '2h', 's', 'NaNs', '1s2s'])(
    'refuses %j, and says what is allowed',
    (text) => {
      expect(() => parseDurationMs(text, hour)).toThrow(/allowed: a duration from 0ms to 1h/);
    },
  );
});

describe('parseBytes', () => {
  it.each([
    ['64KB', 65_536],
    ['1.5MB', 1_572_864],
    ['512b', 512],
    ['0', 0],
  ])('reads %s', (text, size) => {
    expect(parseBytes(text, { min: 0, max: 1e9 })).toBe(size);
  });

  it.each(['64', '64K', '12abc', '-1KB', '', '2GB'])('refuses %j, and says what is allowed', (text) => {
    expect(() => parseBytes(text, { min: 0, max: 1e9 })).toThrow(/allowed: a size from 0 B to/);
  });
});

describe('parseNumber', () => {
  it('takes fractions only where they make sense', () => {
    expect(parseNumber('0.5', { min: 0, max: 1 }, true)).toBe(0.5);
    expect(() => parseNumber('0.5', { min: 0, max: 1 })).toThrow('allowed: a whole number from 0 to 1');
  });

  it.each(['x', '', ' 1', '1e2', '0x10', '-1', '11', 'Infinity'])('refuses %j', (text) => {
    expect(() => parseNumber(text, { min: 0, max: 10 })).toThrow('allowed: a whole number from 0 to 10');
  });
});

describe('sizeText', () => {
  it('speaks to a person', () => {
    expect(sizeText(64 * 1024 * 1024)).toBe('64 MB');
  });
});
