import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BreakerCore, type BreakerOptions, type Permit } from './breaker-core.ts';
import { bytesKeptBy } from './heap.test.kit.ts';
import type { PolicyEvent } from './events.ts';
import type { Verdict } from './verdict.ts';

/** What the tests here stand on, whatever the defaults are. */
const plain: BreakerOptions = {
  windowMs: 2000,
  failureRate: 0.5,
  callsMin: 10,
  openMs: 1000,
  probesMax: 5,
  leaseMs: 3000,
  slowMs: 'off',
};

function coreWith(options: Partial<BreakerOptions> = {}): { core: BreakerCore; events: PolicyEvent[] } {
  const events: PolicyEvent[] = [];
  return {
    core: new BreakerCore({ ...plain, ...options }, (event) => events.push(event)),
    events,
  };
}

/** Makes a call that ends at once. */
function make(core: BreakerCore, verdict: Verdict, now: number): void {
  core.settle(admitted(core, now), verdict, now);
}

function admitted(core: BreakerCore, now: number): Permit {
  const permit = core.admit(now);
  if (permit === undefined) throw new Error(`not admitted at ${now}`);
  return permit;
}

describe('BreakerCore', () => {
  it('opens when the share of failures is reached with the fewest calls, and not before', () => {
    const { core } = coreWith({ callsMin: 10, failureRate: 0.5 });
    for (let call = 0; call < 5; call += 1) make(core, 'success', 0);
    for (let call = 0; call < 4; call += 1) make(core, 'failure', 0);
    expect(core.state(0)).toBe('closed');
    make(core, 'failure', 0);
    expect(core.state(0)).toBe('open');
  });

  it('opens at a share that has no exact binary form', () => {
    const { core } = coreWith({ callsMin: 100, failureRate: 0.07 });
    for (let call = 0; call < 93; call += 1) make(core, 'success', 0);
    for (let call = 0; call < 6; call += 1) make(core, 'failure', 0);
    expect(core.state(0)).toBe('closed');
    make(core, 'failure', 0);
    expect(core.state(0)).toBe('open');
  });

  it('B17: the first failure does not open it', () => {
    const { core } = coreWith();
    make(core, 'failure', 0);
    expect(core.state(0)).toBe('closed');
  });

  it('B15: failures of an hour ago do not count', () => {
    const { core } = coreWith({ windowMs: 5000, callsMin: 5 });
    for (let call = 0; call < 4; call += 1) make(core, 'failure', 0);
    make(core, 'failure', 3_600_000);
    expect(core.state(3_600_000)).toBe('closed');
  });

  it('B6: in half-open a single failed probe opens it, whatever the fewest calls', () => {
    const { core } = coreWith({ callsMin: 10, openMs: 1000 });
    core.trip(0);
    expect(core.state(1000)).toBe('half-open');
    make(core, 'failure', 1500);
    expect(core.state(1500)).toBe('open');
    // The clock started again.
    expect(core.state(2499)).toBe('open');
    expect(core.state(2500)).toBe('half-open');
  });

  it('closes when all probes have succeeded, and starts with an empty window', () => {
    const { core } = coreWith({ probesMax: 3, callsMin: 2, openMs: 1000 });
    make(core, 'failure', 0);
    make(core, 'failure', 0);
    expect(core.state(0)).toBe('open');
    make(core, 'success', 1000);
    make(core, 'success', 1000);
    expect(core.state(1000)).toBe('half-open');
    make(core, 'success', 1000);
    expect(core.state(1000)).toBe('closed');
    make(core, 'failure', 1000);
    expect(core.state(1000)).toBe('closed');
  });

  it('B5: reading the state takes no permit', () => {
    const { core } = coreWith({ probesMax: 1 });
    core.trip(0);
    for (let read = 0; read < 100; read += 1) expect(core.state(1000)).toBe('half-open');
    expect(core.admit(1000)).toBeDefined();
  });

  it('B5: reading changes nothing: whoever reads all the time sees the same as who never does', () => {
    const run = (reads: boolean): unknown => {
      const { core, events } = coreWith({
        slowMs: 300,
        leaseMs: 700,
        callsMin: 2,
        openMs: 500,
        probesMax: 2,
      });
      const admissions: (number | undefined)[] = [];
      for (let now = 0; now < 10_000; now += 1) {
        if (reads) core.state(now);
        // Nobody ever settles: everything that happens falls due by itself.
        if (now % 400 === 0) admissions.push(core.admit(now)?.epoch);
      }
      core.state(10_000);
      return { admissions, events };
    };
    expect(run(true)).toEqual(run(false));
  });

  it('B2: results of an earlier state are ignored, whatever they are, and reported as stale', () => {
    for (const verdict of ['success', 'failure', 'excluded'] as const) {
      const { core, events } = coreWith({ probesMax: 1, openMs: 1000 });
      const [whileOpen, whileHalfOpen] = [admitted(core, 0), admitted(core, 0)];
      core.trip(0);
      core.settle(whileOpen, verdict, 500);
      expect(core.state(500)).toBe('open');
      expect(core.openForMs(500)).toBe(500);
      expect(core.state(1000)).toBe('half-open');
      core.settle(whileHalfOpen, verdict, 1000);
      expect(core.state(1000)).toBe('half-open');
      expect(events.filter((event) => event.type === 'breaker-stale')).toHaveLength(2);
      // The probe's place was not touched either.
      expect(core.admit(1000)).toBeDefined();
      expect(core.admit(1000)).toBeUndefined();
    }
  });

  it('B2: a probe of an earlier half-open state does not count in a later one', () => {
    const { core } = coreWith({ probesMax: 2, openMs: 1000, leaseMs: 60_000 });
    core.trip(0);
    const [late, failing] = [admitted(core, 1000), admitted(core, 1000)];
    core.settle(failing, 'failure', 1000);
    expect(core.state(2000)).toBe('half-open');
    core.settle(late, 'success', 2000);
    make(core, 'success', 2000);
    expect(core.state(2000)).toBe('half-open');
    make(core, 'success', 2000);
    expect(core.state(2000)).toBe('closed');
  });

  it('B4: a probe that never settles opens it when its lease runs out, and the next delay starts then', () => {
    const { core, events } = coreWith({ probesMax: 1, openMs: 1000, leaseMs: 3000 });
    core.trip(0);
    const hanging = admitted(core, 1000);
    expect(core.admit(3999)).toBeUndefined();
    expect(core.state(3999)).toBe('half-open');
    expect(core.state(4000)).toBe('open');
    expect(core.state(4999)).toBe('open');
    expect(core.state(5000)).toBe('half-open');
    make(core, 'success', 5000);
    expect(core.state(5000)).toBe('closed');
    core.settle(hanging, 'failure', 6000);
    expect(core.state(6000)).toBe('closed');
    expect(events.filter((event) => event.type === 'breaker-lease-expired')).toEqual([
      { type: 'breaker-lease-expired', atMs: 4000 },
    ]);
  });

  it('B4: without traffic every step is made up for at its own time', () => {
    const { core, events } = coreWith({ probesMax: 1, openMs: 1000, leaseMs: 3000 });
    core.trip(0);
    admitted(core, 1500);
    expect(core.state(3_600_000)).toBe('half-open');
    expect(events.map((event) => [event.type, event.atMs])).toEqual([
      ['breaker-transition', 0],
      ['breaker-transition', 1000],
      ['breaker-lease-expired', 4500],
      ['breaker-transition', 4500],
      ['breaker-transition', 5500],
    ]);
  });

  it('B11: calls that their callers abort do not count', () => {
    const { core } = coreWith();
    for (let call = 0; call < 100; call += 1) make(core, 'excluded', 0);
    for (let call = 0; call < 9; call += 1) make(core, 'failure', 0);
    expect(core.state(0)).toBe('closed');
  });

  it('B11: nor do they dilute the failures of other calls', () => {
    const { core } = coreWith();
    for (let call = 0; call < 100; call += 1) make(core, 'excluded', 0);
    for (let call = 0; call < 10; call += 1) make(core, 'failure', 0);
    expect(core.state(0)).toBe('open');
  });

  it('gives the place of an excluded probe to another', () => {
    const { core } = coreWith({ probesMax: 1 });
    core.trip(0);
    for (let probe = 0; probe < 10; probe += 1) make(core, 'excluded', 1000);
    expect(core.state(1000)).toBe('half-open');
    make(core, 'success', 1000);
    expect(core.state(1000)).toBe('closed');
  });

  it('starts the open time again when it is tripped while open', () => {
    const { core, events } = coreWith({ openMs: 1000 });
    core.trip(0);
    core.trip(900);
    expect(core.state(1899)).toBe('open');
    expect(core.state(1900)).toBe('half-open');
    expect(events.filter((event) => event.type === 'breaker-transition')).toHaveLength(2);
  });

  describe('slowMs', () => {
    it('counts a call as failed when it has taken that long, not when it ends', () => {
      const { core, events } = coreWith({ slowMs: 300, callsMin: 10 });
      for (let call = 0; call < 10; call += 1) admitted(core, call);
      expect(core.state(308)).toBe('closed');
      expect(core.state(309)).toBe('open');
      expect(events).toEqual([{ type: 'breaker-transition', atMs: 309, from: 'closed', to: 'open' }]);
    });

    it('is noticed by the next call, without anything settling', () => {
      const { core } = coreWith({ slowMs: 300, callsMin: 10 });
      for (let call = 0; call < 10; call += 1) admitted(core, 0);
      expect(core.admit(299)).toBeDefined();
      expect(core.admit(300)).toBeUndefined();
    });

    it('counts a call once, also when it settles later with a failure of its own', () => {
      const { core } = coreWith({ slowMs: 300, callsMin: 10, windowMs: 60_000 });
      for (let call = 0; call < 5; call += 1) {
        const permit = admitted(core, 0);
        core.settle(permit, 'failure', 400);
      }
      for (let call = 0; call < 4; call += 1) make(core, 'failure', 400);
      expect(core.state(400)).toBe('closed');
      make(core, 'failure', 400);
      expect(core.state(400)).toBe('open');
    });

    it('does not touch a call that ends sooner', () => {
      const { core } = coreWith({ slowMs: 300, callsMin: 1 });
      const permit = admitted(core, 0);
      core.settle(permit, 'success', 299);
      expect(core.state(10_000)).toBe('closed');
    });

    it('makes a probe that passes it a failed probe, before its lease', () => {
      const { core, events } = coreWith({ slowMs: 300, leaseMs: 3000, probesMax: 1, openMs: 1000 });
      core.trip(0);
      admitted(core, 1000);
      expect(core.state(1299)).toBe('half-open');
      expect(core.state(1300)).toBe('open');
      expect(events.filter((event) => event.type === 'breaker-lease-expired')).toEqual([]);
    });
  });

  it('counts a probe whose lease is over even if a listener throws', () => {
    const core = new BreakerCore({ ...plain, leaseMs: 100, openMs: 500, probesMax: 1 }, (event) => {
      if (event.type === 'breaker-lease-expired') throw new Error('listener');
    });
    core.trip(0);
    core.admit(500);
    expect(() => core.state(600)).toThrow('listener');
    expect(core.state(600)).toBe('open');
  });

  it('B20: 10,000 breakers that were made, used and dropped leave nothing', async () => {
    const kept = await bytesKeptBy(() => {
      for (let one = 0; one < 10_000; one += 1) {
        const { core } = coreWith({ slowMs: 300 });
        admitted(core, 0);
        core.trip(1);
      }
      return Promise.resolve();
    });
    // Less than 20 bytes each; a breaker that is kept has hundreds.
    expect(kept).toBeLessThan(200_000);
  });

  it('B21: does the same work per call, however many are in the window', async () => {
    const { core } = coreWith({ windowMs: 3_600_000, callsMin: 1_000_000, slowMs: 60_000 });
    const kept = await bytesKeptBy(() => {
      for (let call = 0; call < 100_000; call += 1) make(core, 'failure', call / 100);
      return Promise.resolve();
    });
    // A log of the calls would be megabytes. Constant memory that is used whole is constant work, too.
    expect(kept).toBeLessThan(200_000);
  });

  it('B9: takes only legal edges, reports each once, and conserves permits, whatever happens', () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant('call' as const), count: fc.integer({ min: 1, max: 4 }) }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('settle' as const),
          pick: fc.nat(),
          verdict: fc.constantFrom<Verdict>('success', 'failure', 'excluded'),
        }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(1500) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('trip' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
    );
    const options = fc.record({
      windowMs: fc.integer({ min: 10, max: 3000 }),
      failureRate: fc.constantFrom(0.001, 0.07, 0.5, 1),
      callsMin: fc.integer({ min: 1, max: 5 }),
      openMs: fc.integer({ min: 1, max: 1000 }),
      probesMax: fc.integer({ min: 1, max: 3 }),
      leaseMs: fc.integer({ min: 1, max: 2000 }),
      slowMs: fc.oneof(fc.constant('off' as const), fc.integer({ min: 1, max: 2000 })),
    });
    const legal = ['closed>open', 'open>half-open', 'half-open>open', 'half-open>closed'];

    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 120 }), (given, steps) => {
        const { core, events } = coreWith(given);
        let now = 0;
        const inFlight: Permit[] = [];
        /** Probes that were let through in each half-open state, less those that were excluded. */
        const probesByEpoch = new Map<number, number>();
        for (const what of steps) {
          if (what.do === 'wait') now += what.ms;
          else if (what.do === 'read') core.state(now);
          else if (what.do === 'trip') {
            core.trip(now);
            expect(core.state(now)).toBe('open');
          } else if (what.do === 'call') {
            for (let call = 0; call < what.count; call += 1) {
              const state = core.state(now);
              const permit = core.admit(now);
              if (state === 'closed') expect(permit).toBeDefined();
              if (state === 'open') expect(permit).toBeUndefined();
              if (permit === undefined) continue;
              inFlight.push(permit);
              if (state === 'half-open') {
                const probes = (probesByEpoch.get(permit.epoch) ?? 0) + 1;
                probesByEpoch.set(permit.epoch, probes);
                expect(probes).toBeLessThanOrEqual(given.probesMax);
              }
            }
          } else {
            const [permit] = inFlight.splice(what.pick % Math.max(1, inFlight.length), 1);
            if (permit === undefined) continue;
            core.settle(permit, what.verdict, now);
            const probes = probesByEpoch.get(permit.epoch);
            if (probes !== undefined && what.verdict === 'excluded')
              probesByEpoch.set(permit.epoch, probes - 1);
          }
        }
        const last = core.state(now);
        // Every edge starts where the one before ended, and its time is not before that one's.
        let state = 'closed';
        let atMs = 0;
        for (const event of events) {
          if (event.type !== 'breaker-transition') continue;
          expect(legal).toContain(`${event.from}>${event.to}`);
          expect(event.from).toBe(state);
          expect(event.atMs).toBeGreaterThanOrEqual(atMs);
          state = event.to;
          atMs = event.atMs;
        }
        expect(last).toBe(state);

        // Whatever has become of it: once everyone is gone and the delays are over, it takes its probes and closes.
        for (const permit of inFlight) core.settle(permit, 'excluded', now);
        now += 10_000;
        if (core.state(now) === 'half-open') {
          const probes: Permit[] = [];
          for (let one = core.admit(now); one !== undefined; one = core.admit(now)) probes.push(one);
          for (const probe of probes) core.settle(probe, 'success', now);
        }
        expect(core.state(now)).toBe('closed');
      }),
      { numRuns: 500 },
    );
  });
});
