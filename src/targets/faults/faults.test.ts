import { expect, test } from 'vitest';
import { type FaultPlan, parseTarget, targetNames } from '../../harness/target-options.ts';
import { SimClock } from '../../patterns/sim-clock.ts';
import { createFault } from './create-fault.ts';
import type { Fault, FaultContext } from './fault.ts';
import { deathWaitMs, FaultTimers } from './fault-timers.ts';

/** A fault at a moment that can be moved; `random` runs through the tenths. */
function faultOf(text: string, more: Partial<FaultContext> = {}) {
  const moment = { elapsedMs: 0, upMs: 0 };
  let draws = 0;
  const fault = createFault(parseTarget(text), {
    elapsedMs: () => moment.elapsedMs,
    upMs: () => moment.upMs,
    restarted: false,
    random: () => (draws++ % 10) / 10,
    ...more,
  });
  return { fault, moment };
}

test('before faults begin every target is well', () => {
  for (const name of [...targetNames, 'stall:lostShare=1', 'flaky:share=1', 'charge-then-die:share=1']) {
    const { fault, moment } = faultOf(name);
    moment.elapsedMs = -1;
    const ten = Array.from({ length: 10 }, () => [fault.arrival?.(), fault.workMs?.(), fault.charged?.()]);
    expect(
      ten.flat().filter((what) => what !== undefined && what !== 'serve' && what !== 0 && what !== 'answer'),
    ).toEqual([]);
  }
});

test('slow takes longer in a straight line, and stays there', () => {
  const { fault, moment } = faultOf('slow:latencyMs=2s,rampMs=10s');
  const workMs = [0, 2500, 10_000, 60_000].map((elapsedMs) => {
    moment.elapsedMs = elapsedMs;
    return fault.workMs?.();
  });
  expect(workMs).toEqual([0, 500, 2000, 2000]);
  expect(faultOf('slow:latencyMs=7,rampMs=0').fault.workMs?.()).toBe(7);
});

test('flaky fails its share of payments', () => {
  const { fault } = faultOf('flaky:share=0.3');
  const failed = Array.from({ length: 100 }, () => fault.arrival?.()).filter((what) => what === 'fail');
  expect(failed).toHaveLength(30);
});

test('charge-then-die loses its share of answers, after the charge', () => {
  const { fault } = faultOf('charge-then-die:share=0.2');
  const lost = Array.from({ length: 100 }, () => fault.charged?.()).filter((what) => what === 'disconnect');
  expect(lost).toHaveLength(20);
  expect(fault.arrival).toBeUndefined();
});

test('hang, and flap that hangs, answer nothing while they last', () => {
  const arrivals = (text: string) => {
    const { fault, moment } = faultOf(text);
    return [500, 1000, 1499, 1500, 2500].map((elapsedMs) => {
      moment.elapsedMs = elapsedMs;
      return fault.arrival?.();
    });
  };
  expect(arrivals('hang:afterMs=1s,forMs=500')).toEqual(['serve', 'hang', 'hang', 'serve', 'serve']);
  expect(arrivals('flap:upMs=1s,downMs=500,how=hang')).toEqual(['serve', 'hang', 'hang', 'serve', 'hang']);
});

test('slow-start is slow after a restart only, and less and less', () => {
  const first = faultOf('slow-start');
  expect(first.fault.workMs?.()).toBe(0);
  const { fault, moment } = faultOf('slow-start:latencyMs=400,rampMs=1000', { restarted: true });
  const workMs = [0, 500, 1000, 9000].map((upMs) => {
    moment.upMs = upMs;
    return fault.workMs?.();
  });
  expect(workMs).toEqual([400, 200, 0, 0]);
});

/** What a target does by time alone, from `fromMs` on, as `what@when`. */
async function actions(text: FaultPlan | Fault, fromMs: number, untilMs: number): Promise<string[]> {
  const clock = new SimClock();
  const fault =
    'name' in text
      ? createFault(text, { elapsedMs: () => 0, upMs: () => 0, restarted: false, random: () => 0 })
      : text;
  const done: string[] = [];
  const note = (what: string) => () => done.push(`${what}@${clock.now()}`);
  const timers = new FaultTimers(fault, clock, {
    refuse: note('refuse'),
    listen: note('listen'),
    die: (frozenMs) => done.push(`${frozenMs === 0 ? '' : `freeze ${frozenMs}, `}die@${clock.now()}`),
  });
  timers.begin(fromMs);
  await clock.advance(untilMs);
  return done;
}

test('refuse closes the port once; flap does it again and again', async () => {
  expect(await actions(parseTarget('refuse:afterMs=100,forMs=50'), 10, 1000)).toEqual([
    'refuse@110',
    'listen@160',
  ]);
  expect(await actions(parseTarget('refuse'), 10, 1000)).toEqual(['refuse@10']);
  expect(await actions(parseTarget('flap:upMs=100,downMs=50'), 0, 320)).toEqual([
    'refuse@100',
    'listen@150',
    'refuse@250',
    'listen@300',
  ]);
});

test('a death waits a moment for a payment to strike, and comes without one', async () => {
  expect(await actions(parseTarget('kill:everyMs=1s'), 0, 1500)).toEqual([`die@${1000 + deathWaitMs}`]);
});

test('stall freezes and dies once, also after a restart', async () => {
  expect(await actions(parseTarget('stall:afterMs=1s,forMs=200'), 0, 9000)).toEqual([
    `freeze 200, die@${1000 + deathWaitMs}`,
  ]);
  expect(await actions(parseTarget('stall:afterMs=1s'), -1500, 9000)).toEqual([]);
});

test('stall loses its share of answers before it freezes, and none once it is back', () => {
  const { fault, moment } = faultOf('stall:afterMs=1s,lostShare=0.2');
  const lost = () =>
    Array.from({ length: 100 }, () => fault.charged?.()).filter((what) => what === 'disconnect');
  moment.elapsedMs = 999;
  expect(lost()).toHaveLength(20);
  moment.elapsedMs = 1000;
  expect(lost()).toHaveLength(0);
});

test('a service that was restarted dies at the next due date, not at one that has passed', async () => {
  expect(await actions(parseTarget('kill:everyMs=1s'), -2300, 5000)).toEqual([`die@${700 + deathWaitMs}`]);
});

test('a death strikes the first payment after its due date, in the middle', async () => {
  const clock = new SimClock();
  let deaths = 0;
  const timers = new FaultTimers({ deaths: { firstMs: 1000, everyMs: 1000, frozenMs: 0 } }, clock, {
    refuse: () => undefined,
    listen: () => undefined,
    die: () => deaths++,
  });
  timers.begin(0);
  await clock.advance(999);
  timers.claimed();
  expect(deaths).toBe(0);
  await clock.advance(1);
  timers.claimed();
  expect(deaths).toBe(1);
});
