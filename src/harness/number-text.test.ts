import { expect, it } from 'vitest';
import { crossingText, msText, numberText } from './number-text.ts';

it.each([
  [210, '0.21'],
  [12_345, '12.3'],
  [2_660_000, '2,660'],
  [null, '-'],
])('shows %s µs in ms as %s', (us, text) => {
  expect(msText(us)).toBe(text);
});

it.each([
  [12_345, '12,345'],
  [0, '0'],
  [359.96, '360'],
  [93.44, '93.4'],
  [1.2749, '1.27'],
])('shows %s as %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});

it.each([
  [null, '-'],
  [0, 'p0'],
  [0.57, 'p57'],
  [0.9996, 'p99.96'],
  [0.999_999, 'p99.99'],
  [1, 'max'],
])('shows a limit kept by a share of %s as kept up to %s', (within, text) => {
  expect(crossingText(within)).toBe(text);
});
