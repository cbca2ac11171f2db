/** Counting breaker: N failures in a row open it, and its half-open state lets everything through. Kept as a control. */
import { type Breaker, type BreakerDecisions, breakerFrom } from './breaker.ts';
import type { Millis } from './clock.ts';
import type { BreakerState, PolicyEvent } from './events.ts';
import type { Layer, Runtime } from './layer.ts';
import { count, ms } from './option.ts';
import { completeOptions, type OptionsIn } from './option-set.ts';
import { realRuntime } from './real-runtime.ts';
import type { Verdict } from './verdict.ts';

/** What can be set on a counting breaker, with defaults, units and limits. */
export const breakerCountOptions = {
  failuresMax: count(5, 1, 'failures in a row that open it'),
  openMs: ms(1000, 1, 'how long it stays open before it lets everything through'),
};

export type BreakerCountOptions = OptionsIn<typeof breakerCountOptions>;

/**
 * The circuit breaker as it is written most often: a counter, a time and three states. It is here to show what the
 * rolling window, the limited probes and the epochs of `breaker` are good for:
 *
 * - a success sets the counter back, so a target that fails nine calls in ten may never open it;
 * - half-open lets every call through until the first one fails: a stampede on a target that has just come back;
 * - in half-open the first result decides, also that of a call that was made long before.
 *
 * The pattern is the "Circuit Breaker" of Michael Nygard, "Release It!", 2007, without what came later.
 *
 * @param options `failuresMax` 5, `openMs` 1000.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function createBreakerCount(
  options: Partial<BreakerCountOptions> = {},
  runtime: Runtime = realRuntime,
): Breaker {
  const complete = completeOptions('breaker-count', breakerCountOptions, options);
  return breakerFrom(runtime, new BreakerCountCore(complete, runtime.report));
}

/** `createBreakerCount` for those who do not ask for its state. */
export function breakerCount(
  options: Partial<BreakerCountOptions> = {},
  runtime: Runtime = realRuntime,
): Layer {
  return createBreakerCount(options, runtime).layer;
}

/** Its state machine. Results that come while it is open are ignored. `now` must not run backwards. */
class BreakerCountCore implements BreakerDecisions<true> {
  private readonly options: BreakerCountOptions;
  private readonly report: ((event: PolicyEvent) => void) | undefined;
  private current: BreakerState = 'closed';
  private failures = 0;
  private openUntilMs: Millis = 0;

  constructor(options: BreakerCountOptions, report?: (event: PolicyEvent) => void) {
    this.options = options;
    this.report = report;
  }

  get standing(): true | undefined {
    return this.current === 'closed' ? true : undefined;
  }

  state(now: Millis): BreakerState {
    if (this.current === 'open' && now >= this.openUntilMs) this.enter('half-open', this.openUntilMs);
    return this.current;
  }

  openForMs(now: Millis): Millis | undefined {
    return this.state(now) === 'open' ? this.openUntilMs - now : undefined;
  }

  admit(now: Millis): true | undefined {
    return this.state(now) === 'open' ? undefined : true;
  }

  settle(_permit: true, verdict: Verdict, now: Millis): void {
    const state = this.state(now);
    if (verdict === 'excluded' || state === 'open') return;
    if (verdict === 'success') {
      this.failures = 0;
      if (state === 'half-open') this.enter('closed', now);
      return;
    }
    this.failures += 1;
    if (state === 'half-open' || this.failures >= this.options.failuresMax) this.enter('open', now);
  }

  trip(now: Millis): void {
    if (this.state(now) === 'open') this.openUntilMs = now + this.options.openMs;
    else this.enter('open', now);
  }

  private enter(state: BreakerState, atMs: Millis): void {
    const from = this.current;
    this.current = state;
    if (state === 'open') this.openUntilMs = atMs + this.options.openMs;
    this.report?.({ type: 'breaker-transition', atMs, from, to: state });
  }
}
