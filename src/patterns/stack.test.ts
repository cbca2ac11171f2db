import { describe, expect, it } from 'vitest';
import { layerNames } from './options.ts';
import { confirmed, failed } from './outcome.ts';
import { deriveSeed, seededRandom } from './random.ts';
import { callOf, ending, FakeTarget, scripted, Simulation, watch } from './sim.test.kit.ts';
import { buildStack, describeLayers, parseStacks, type StackPlan, stackLists } from './stack.ts';
import { UsageError } from './usage-error.ts';

/** The message with which a command line is refused; always one line. */
function refusal(list: string, ...settings: string[]): string {
  try {
    parseStacks(list, settings);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error(`${list} ${settings.join(' ')} was not refused`);
}

/** The one plan in a list of one. */
function planOf(stack: string, ...settings: string[]): StackPlan {
  const [plan, ...more] = parseStacks(stack, settings);
  if (plan === undefined || more.length > 0) throw new Error('one stack');
  return plan;
}

const shapes = (list: string): string[] =>
  parseStacks(list, []).map(({ name, layers }) => `${name}: ${layers.map((layer) => layer.name).join(' ')}`);

describe('parseStacks', () => {
  it('reads stacks outermost first, each ending in a timeout', () => {
    expect(shapes('baseline,retry+breaker, bulkhead + retry ')).toEqual([
      'baseline: timeout',
      'retry+breaker: retry breaker timeout',
      'bulkhead+retry: bulkhead retry timeout',
    ]);
  });

  it('gives a stack the same name whether its timeout was named or not', () => {
    expect(shapes('timeout,retry+timeout')).toEqual(['baseline: timeout', 'retry: retry timeout']);
  });

  it('knows the four stages as article', () => {
    expect(parseStacks('article', [])).toEqual(
      parseStacks('baseline,retry,retry+breaker,retry+breaker+bulkhead', []),
    );
  });

  it('has every layer in all, and no stack twice', () => {
    const plans = parseStacks('all', []);
    const names = plans.map((plan) => plan.name);
    expect(names).toEqual([...stackLists.all]);
    expect(new Set(names).size).toBe(names.length);
    const used = new Set(plans.flatMap((plan) => plan.layers.map((layer) => layer.name)));
    // A slowdown is no protection that anybody would compare.
    expect([...used, 'burn'].sort()).toEqual([...layerNames].sort());
  });

  it('writes every option into the plan, set or not', () => {
    const plan = planOf('breaker', 'breaker.openMs=2s', 'timeout.abort=false');
    expect(plan.layers).toEqual([
      {
        name: 'breaker',
        options: {
          windowMs: 500,
          failureRate: 0.1,
          callsMin: 10,
          openMs: 2000,
          probesMax: 5,
          leaseMs: 3000,
          slowMs: 100,
        },
      },
      { name: 'timeout', options: { limitMs: 3000, abort: false } },
    ]);
  });

  it('gives each service a pool of its own, unless told otherwise for one stack or for all', () => {
    const poolsOf = (list: string, ...settings: string[]) =>
      parseStacks(list, settings).map(({ name, pools }) => ({ name, ...pools }));
    const own = { connectionsMax: 100, idleMax: 20, shared: false };
    expect(poolsOf('baseline,shared-pools,retry + shared-pools')).toEqual([
      { ...own, name: 'baseline' },
      { ...own, name: 'shared-pools', shared: true },
      { ...own, name: 'retry+shared-pools', shared: true },
    ]);
    expect(poolsOf('retry', 'pools.shared=true', 'pools.idleMax=0')).toEqual([
      { ...own, name: 'retry', shared: true, idleMax: 0 },
    ]);
  });

  it('makes plans that survive JSON', () => {
    const plans = parseStacks('all', []);
    expect(JSON.parse(JSON.stringify(plans))).toEqual(plans);
  });

  it('sets an option in every stack that has the layer', () => {
    const plans = parseStacks('article', ['retry.retriesMax=5']);
    const values = plans.flatMap((plan) => plan.layers.filter((layer) => layer.name === 'retry'));
    expect(values.map((layer) => layer.options.retriesMax)).toEqual([5, 5, 5]);
  });

  it('lets the last of two settings for an option count', () => {
    expect(planOf('retry', 'retry.retriesMax=5', 'retry.retriesMax=1').layers[0]?.options.retriesMax).toBe(1);
  });

  it.each([
    ['breaker.slowMs=300', 300],
    ['breaker.slowMs=300ms', 300],
    ['breaker.slowMs=1.5s', 1500],
    ['breaker.slowMs= 2 m ', 120_000],
    ['breaker.slowMs=off', 'off'],
    ['breaker.failureRate=0.25', 0.25],
    ['breaker.failureRate=1', 1],
    ['breaker.callsMin=20', 20],
    ['timeout.abort=true', true],
    ['retry.jitter=equal', 'equal'],
  ])('reads %s', (setting, value) => {
    const [layer = '', option = ''] = setting.split(/[.=]/);
    const plan = planOf('retry+breaker', setting);
    expect(plan.layers.find((one) => one.name === layer)?.options[option]).toBe(value);
  });

  it.each([
    ['retyr', [], 'there is no layer or stack "retyr"; allowed: retry,'],
    ['', [], 'there is no layer or stack ""; allowed:'],
    ['retry,', [], 'there is no layer or stack ""; allowed:'],
    ['retry++breaker', [], 'there is no layer ""; allowed:'],
    ['Retry', [], 'there is no layer or stack "Retry"; allowed:'],
    ['toString', [], 'there is no layer or stack "toString"; allowed:'],
    ['re\ntry', [], 'there is no layer or stack "re\\ntry"; allowed:'],
    ['retry+baseline', [], 'there is no layer "baseline"; allowed: retry,'],
    ['retry+article', [], 'there is no layer "article"; allowed: retry,'],
    ['retry+breaker+retry', [], 'retry comes twice in the stack retry+breaker+retry'],
    ['timeout+retry', [], 'timeout is not last in the stack timeout+retry'],
    ['retry,breaker,retry', [], 'the stack retry comes twice'],
    ['baseline,timeout', [], 'the stack baseline comes twice'],
    ['shared-pools,baseline+shared-pools', [], 'the stack shared-pools comes twice'],
    ['shared-pools+retry', [], 'shared-pools is not last in the stack shared-pools+retry'],
    [
      'baseline,shared-pools',
      ['pools.shared=true'],
      'pools.shared is set for all stacks and shared-pools names',
    ],
    ['retry', ['pools.size=5'], 'pools has no option "size"; allowed: connectionsMax, idleMax, shared'],
    ['retry', ['pools.shared=yes'], 'pools.shared is "yes"; allowed: true or false'],
    ['retry', ['pools.connectionsMax=0'], 'pools.connectionsMax is "0"; allowed: a whole number from 1 to'],
    ['article,retry', [], 'the stack retry comes twice'],
    [
      'retry',
      ['retry.retries=5'],
      'retry has no option "retries"; allowed: retriesMax, baseMs, capMs, jitter',
    ],
    ['retry', ['retry.constructor=5'], 'retry has no option "constructor"; allowed:'],
    ['retry', ['rety.baseMs=5'], 'there is no layer "rety"; allowed: retry,'],
    ['retry', ['baseline.limitMs=5'], 'there is no layer "baseline"; allowed:'],
    [
      'retry',
      ['breaker.openMs=5'],
      'breaker.openMs=5 has no effect: no stack has breaker; layers in use: retry, timeout',
    ],
    ['retry', ['retry.baseMs'], '"retry.baseMs" is no setting; allowed: layer.option=value'],
    ['retry', ['baseMs=5'], '"baseMs=5" is no setting; allowed: layer.option=value'],
    ['retry', ['retry.baseMs='], 'retry.baseMs is ""; allowed: 0 to 3600000 ms'],
    ['retry', ['retry.baseMs=-5'], 'retry.baseMs is "-5"; allowed: 0 to 3600000 ms'],
    ['retry', ['retry.baseMs=5h'], 'retry.baseMs is "5h"; allowed: 0 to 3600000 ms'],
    ['retry', ['retry.baseMs=Infinity'], 'retry.baseMs is "Infinity"; allowed: 0 to 3600000 ms'],
    ['retry', ['retry.baseMs=61m'], 'retry.baseMs is "61m"; allowed: 0 to 3600000 ms'],
    ['retry', ['retry.baseMs=off'], 'retry.baseMs is "off"; allowed: 0 to 3600000 ms'],
    ['retry', ['retry.retriesMax=1.5'], 'retry.retriesMax is "1.5"; allowed: a whole number from 0 to'],
    ['retry', ['retry.retriesMax=3ms'], 'retry.retriesMax is "3ms"; allowed: a whole number from 0 to'],
    [
      'retry',
      ['retry.jitter=some'],
      'retry.jitter is "some"; allowed: full, equal, decorrelated, proportional, none',
    ],
    ['retry', ['timeout.abort=yes'], 'timeout.abort is "yes"; allowed: true or false'],
    ['breaker', ['breaker.failureRate=0'], 'breaker.failureRate is "0"; allowed: 0.001 to 1'],
    ['breaker', ['breaker.failureRate=50%'], 'breaker.failureRate is "50%"; allowed: 0.001 to 1'],
    ['breaker', ['breaker.failureRate=1.01'], 'breaker.failureRate is "1.01"; allowed: 0.001 to 1'],
    ['breaker', ['breaker.slowMs=never'], 'breaker.slowMs is "never"; allowed: 1 to 3600000 ms, or off'],
  ])('refuses %j with %j in one line that says what is allowed', (list, settings, message) => {
    expect(refusal(list, ...settings)).toContain(message);
  });
});

describe('buildStack', () => {
  it.each([...stackLists.all])('makes a working %s', async (name) => {
    const sim = new Simulation();
    const stack = buildStack(planOf(name), sim.runtime);
    const good = watch(
      sim.clock,
      stack.apply(scripted(sim.clock, [confirmed('paid')]).send)('order', callOf()),
    );
    await sim.clock.runUntilIdle();
    expect(ending(good)).toBe('confirmed');
    const target = new FakeTarget(sim.clock);
    const hanging = watch(sim.clock, stack.apply(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect(ending(hanging)).toBe('timeout');
    expect(target.attempts.map((attempt) => attempt.aborted)).toEqual(target.attempts.map(() => true));
    expect(stack.breakerState()).toBe(name.includes('breaker') ? 'closed' : undefined);
    expect(sim.clock.pending).toBe(0);
  });

  it('gives each layer its own options', async () => {
    const sim = new Simulation();
    const plan = planOf('retry', 'retry.retriesMax=1', 'retry.baseMs=0', 'timeout.limitMs=40');
    const target = new FakeTarget(sim.clock);
    const result = watch(sim.clock, buildStack(plan, sim.runtime).apply(target.send)('order', callOf()));
    await sim.clock.runUntilIdle();
    expect([result.settledAtMs, target.attempts.length]).toEqual([80, 2]);
  });

  it('shows the state of the outermost breaker', async () => {
    const sim = new Simulation();
    const plan = planOf('breaker-count+breaker', 'breaker-count.failuresMax=100', 'breaker.callsMin=1');
    const stack = buildStack(plan, sim.runtime);
    watch(sim.clock, stack.apply(scripted(sim.clock, [failed('reset')]).send)('order', callOf()));
    await sim.clock.advance(0);
    expect(sim.edges()).toEqual(['closed>open']);
    expect(stack.breakerState()).toBe('closed');
  });

  it('refuses a plan from elsewhere that has an option out of range', () => {
    const { runtime } = new Simulation();
    const plan = { layers: [{ name: 'retry', options: { retriesMax: -1 } }] } as const;
    expect(() => buildStack(plan, runtime)).toThrow(
      'retry.retriesMax is -1; allowed: a whole number from 0 to 1000000',
    );
    const text = { layers: [{ name: 'breaker', options: { slowMs: '300' } }] } as const;
    expect(() => buildStack(text, runtime)).toThrow(
      'breaker.slowMs is "300"; allowed: 1 to 3600000 ms, or off',
    );
  });

  it('replays from its seed, event for event and outcome for outcome', async () => {
    /** A load of 1000 calls on a target that comes and goes, hangs and asks to wait at random, as one string. */
    const run = async (seed: number): Promise<{ log: string; types: Set<string> }> => {
      const sim = new Simulation(deriveSeed(seed, 'layers'));
      const random = seededRandom(deriveSeed(seed, 'target'));
      const target = new FakeTarget(sim.clock, (attempt) => {
        const [isUp, dice] = [sim.clock.now() % 2000 < 1000, random()];
        const good = isUp ? 0.9 : 0.1;
        if (dice > 0.95) return;
        sim.clock.after(random() * 100, () => {
          if (dice < good) attempt.answer(confirmed('paid'));
          else attempt.answer(random() < 0.5 ? failed('reset') : failed('http-5xx', { retryAfterMs: 50 }));
        });
      });
      const plan = planOf(
        'retry-budget+breaker+bulkhead',
        'bulkhead.queueMax=5',
        'bulkhead.queueMs=20',
        'retry-budget.share=0.1',
        'retry-budget.baseMs=20',
        'retry-budget.floorPerS=5',
        'breaker.failureRate=0.5',
        'breaker.slowMs=150',
        'breaker.openMs=300',
        'breaker.windowMs=500',
        'timeout.limitMs=180',
      );
      const send = buildStack(plan, sim.runtime).apply(target.send);
      const results = [];
      for (let call = 0; call < 1000; call += 1) {
        results.push(watch(sim.clock, send(call, callOf())));
        await sim.clock.advance(random() * 15);
      }
      await sim.clock.runUntilIdle();
      const types = new Set(sim.events.map((event) => event.type));
      return { log: JSON.stringify({ events: sim.events, results }), types };
    };
    const first = await run(1);
    expect([...first.types].sort()).toEqual([
      'breaker-open',
      'breaker-stale',
      'breaker-transition',
      'bulkhead-full',
      'queue-timeout',
      'retry',
      'retry-refused',
      'retry-saved',
      'timeout',
    ]);
    // Compared as wholes: a difference between logs this long is nothing to print.
    expect((await run(1)).log === first.log).toBe(true);
    expect((await run(2)).log === first.log).toBe(false);
  });
});

describe('describeLayers', () => {
  it('tells of every layer and option what it is, its default and what is allowed', () => {
    const layers = describeLayers();
    expect(layers.map((layer) => layer.name)).toEqual([...layerNames]);
    expect(layers.find((layer) => layer.name === 'timeout')).toEqual({
      name: 'timeout',
      meaning: 'ends an attempt that takes too long; the last layer of every stack',
      options: [
        {
          name: 'limitMs',
          kind: 'ms',
          default: 3000,
          allowed: '1 to 3600000 ms',
          meaning: 'longest that an attempt may take',
        },
        {
          name: 'abort',
          kind: 'flag',
          default: true,
          allowed: 'true or false',
          meaning: 'really end the attempt (its socket closes); false leaves a zombie',
        },
      ],
    });
    for (const { meaning, options } of layers) {
      for (const text of [meaning, ...options.map((option) => option.meaning)])
        expect(text).toMatch(/^[^\n]{10,}$/);
    }
  });

  it('has defaults that are allowed', () => {
    for (const { name, options } of describeLayers()) {
      const values = options.map((option) => `${name}.${option.name}=${option.default}`);
      const plan = planOf(name, ...values);
      const layer = plan.layers.find((one) => one.name === name);
      expect(layer?.options).toEqual(
        Object.fromEntries(options.map((option) => [option.name, option.default])),
      );
    }
  });
});
