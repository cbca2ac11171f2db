import { describe, expect, it } from 'vitest';
import { breakerTimes } from './breaker-times.ts';

const open = (atMs: number) => ({ atMs, from: 'closed', to: 'open' }) as const;
const halfOpen = (atMs: number) => ({ atMs, from: 'open', to: 'half-open' }) as const;
const close = (atMs: number) => ({ atMs, from: 'half-open', to: 'closed' }) as const;

describe('breakerTimes', () => {
  it('runs from a death to open, and from ready and from the first healthy answer to closed', () => {
    const times = breakerTimes({
      transitions: [open(1010), halfOpen(2010), close(2600)],
      outagesAtMs: [1000],
      readyAtMs: [2500],
      healthyAtMs: [2100, 2570],
      windowMs: 5000,
    });
    expect(times).toMatchObject({
      openMs: 1590,
      timeToOpenMs: [10],
      timeToRecoverMs: [100],
      timeToCloseMs: [30],
    });
  });

  it('takes no time to open for a death that met an open breaker', () => {
    const times = breakerTimes({
      transitions: [open(900), halfOpen(1900), { atMs: 1950, from: 'half-open', to: 'open' }],
      outagesAtMs: [1000],
      readyAtMs: [],
      healthyAtMs: [],
      windowMs: 5000,
    });
    expect(times.timeToOpenMs).toEqual([0]);
  });

  it('does not count a breaker that slept through a whole outage', () => {
    const times = breakerTimes({
      transitions: [open(3010)],
      outagesAtMs: [1000, 3000],
      readyAtMs: [2000],
      healthyAtMs: [],
      windowMs: 5000,
    });
    expect(times.timeToOpenMs).toEqual([10]);
  });

  it('counts open time only inside the window, and up to its end', () => {
    expect(
      breakerTimes({
        transitions: [open(-500), close(200), open(900)],
        outagesAtMs: [],
        readyAtMs: [],
        healthyAtMs: [],
        windowMs: 1000,
      }).openMs,
    ).toBe(300);
  });
});
