import { describe, expect, test } from 'vitest';
import { UsageError } from '../../patterns/usage-error.ts';
import { sampleTrial } from '../trial.test.kit.ts';
import { limitedFigure, parseLimit } from './limit.ts';

describe('parseLimit', () => {
  test.each([
    ['orders.responseUs.p95<=300ms', 'failing', 'max', 300_000],
    ['healthy:eventLoop.delayUs.p99 <= 5ms', 'healthy', 'max', 5000],
    ['orders.goodputPerS>=100', 'failing', 'min', 100],
    ['orders.errorRate<=2.5%', 'failing', 'max', 0.025],
    ['target.downMs<=1.5s', 'failing', 'max', 1500],
    ['payments.duplicates<=0', 'failing', 'max', 0],
    ['events.retry<=10', 'failing', 'max', 10],
  ])('%s', (text, scenario, bound, value) => {
    expect(parseLimit(text)).toMatchObject({ text, scenario, bound, value });
  });

  test.each([
    ['orders.responseUs.p95=300ms', /is no limit; allowed: FIGURE<=VALUE/],
    ['slow:orders.responseUs.p95<=1s', /no scenario slow; allowed: healthy, saturated, failing, leaking/],
    ['orders.responseUs.p96<=1s', /allowed in place of p96: count, p50, p90, p95/],
    ['order.responseUs.p95<=1s', /allowed in place of order: .*orders, bystander/],
    ['orders.responseUs<=1s', /orders.responseUs is no number; allowed behind it: count, p50/],
    ['orders.responseUs.p95<=300', /the unit of orders.responseUs.p95 is us, ms or s/],
    ['payments.duplicates<=0ms', /the unit of payments.duplicates is none/],
    ['orders.__proto__<=1', /allowed in place of __proto__/],
  ])('refuses %s', (text, message) => {
    expect(() => parseLimit(text)).toThrow(UsageError);
    expect(() => parseLimit(text)).toThrow(message);
  });
});

test('the figure is the one at the path; a trial may have none', () => {
  const trial = sampleTrial(1000);
  expect(limitedFigure(parseLimit('orders.confirmed>=1'), trial)).toBe(90);
  expect(limitedFigure(parseLimit('orders.responseUs.p50<=1s'), trial)).toBe(trial.orders.responseUs.p50);
  expect(limitedFigure(parseLimit('events.retry<=1'), trial)).toBeNull();
  expect(limitedFigure(parseLimit('breaker.openMs<=1s'), sampleTrial(1000, { breaker: null }))).toBeNull();
});
