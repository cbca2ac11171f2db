import { expect, it } from 'vitest';
import { timeline } from './timeline.ts';

const step = {
  offered: 1,
  skipped: 0,
  confirmed: 1,
  failed: 0,
  inFlight: 0,
  responseP99Us: 900,
  latenessP99Us: 50,
};
const times = { startMs: 500, windowStartMs: 1000, windowEndMs: 2000, deadlineMs: 3000 };

it('puts what was sampled into the step in which it was sampled', () => {
  const rows = timeline({
    times,
    steps: [
      { ...step, atMs: -250 },
      { ...step, atMs: 0 },
    ],
    gatewaySamples: [{ atMs: 1010, inFlight: 7, breakerState: 'open', loopDelayP99Us: 80 }],
    canarySamples: [{ atMs: 999, loopDelayP99Us: 60 }],
    targetSamples: [{ atMs: 1249, rssBytes: null, cpuPercent: null, up: false }],
  });
  expect(rows).toMatchObject([
    { atMs: -250, inFlight: null, breakerState: null, canaryDelayP99Us: 60, targetUp: null },
    {
      atMs: 0,
      inFlight: 7,
      breakerState: 'open',
      loopDelayP99Us: 80,
      canaryDelayP99Us: null,
      targetUp: false,
      rssBytes: null,
    },
  ]);
});
