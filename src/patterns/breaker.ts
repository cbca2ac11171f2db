/** Breaker: stops calling a target that fails, and lets a few probes find out when it is back. */
import { BreakerCore, type BreakerOptions, breakerOptions, type Permit } from './breaker-core.ts';
import type { Millis } from './clock.ts';
import type { BreakerState } from './events.ts';
import { enter, layerOf, outermost, type Sink, Step } from './flow.ts';
import type { Layer, Runtime } from './layer.ts';
import { completeOptions } from './option-set.ts';
import { failed, type Outcome } from './outcome.ts';
import { realRuntime } from './real-runtime.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** A layer whose state can be read. */
export interface Breaker {
  readonly layer: Layer;
  /** The state now. Reading it takes no permit and changes nothing. */
  state(): BreakerState;
  /** Opens it by hand, as if it had just opened by itself. */
  trip(): void;
}

/** What a circuit breaker decides; the promises around it are the same for every kind. */
export interface BreakerDecisions<P> {
  state(now: Millis): BreakerState;
  openForMs(now: Millis): Millis | undefined;
  /** What `admit` would return whatever the time is, so that nobody has to look at the clock; undefined if that depends. */
  readonly standing: P | undefined;
  admit(now: Millis): P | undefined;
  settle(permit: P, verdict: Verdict, now: Millis): void;
  trip(now: Millis): void;
}

/**
 * A breaker on a rolling window: opens when the share of failed calls reaches `failureRate` (given `callsMin` calls),
 * lets `probesMax` calls through after `openMs`, closes when all of them succeed, and opens again at any failure.
 *
 * Rejected calls get `breaker-open` at once, with what is left of the open time as `retryAfterMs`. Calls that say
 * nothing about the target (rejected by a layer inside, or taken back by their caller) do not count.
 *
 * With `slowMs` a call counts as failed at the moment when it has taken that long, not when it ends, so that a target
 * that hangs is noticed long before its attempts time out. (resilience4j, where slow calls come from, counts at the end.)
 *
 * The state belongs to the layer: one that is applied to two sends shares it. It is kept in this process only.
 *
 * The pattern: "Circuit Breaker" in Michael Nygard, "Release It!", 2007. The rolling window with a failure rate and a least
 * number of calls became common with Netflix's Hystrix, a limited number of probes with resilience4j.
 *
 * The defaults are the laboratory's, for a service that answers within a few ms: set `slowMs` for yours.
 *
 * @param options `windowMs` 500, `failureRate` 0.1 (0.001 to 1), `callsMin` 10, `openMs` 500, `probesMax` 5,
 *   `leaseMs` 3000, `slowMs` 100 or `off`. All times in ms.
 * @throws {UsageError} If an option does not exist or is out of range.
 */
export function createBreaker(
  options: Partial<BreakerOptions> = {},
  runtime: Runtime = realRuntime,
): Breaker {
  const complete = completeOptions('breaker', breakerOptions, options);
  return breakerFrom<Permit>(runtime, new BreakerCore(complete, runtime.report));
}

/** `createBreaker` for those who do not ask for its state. */
export function breaker(options: Partial<BreakerOptions> = {}, runtime: Runtime = realRuntime): Layer {
  return createBreaker(options, runtime).layer;
}

/** The layer around a breaker's decisions. */
export function breakerFrom<P>({ clock, report }: Runtime, core: BreakerDecisions<P>): Breaker {
  const settle = (permit: P, verdict: Verdict): void => {
    core.settle(permit, verdict, clock.now());
  };
  /**
   * Calls that need not be told apart, and whose way ends here, can have one step for them all. It may be kept: it keeps
   * nothing of any call.
   */
  let common: AdmittedCall<P, unknown> | undefined;
  const stepFor = <Res>(permit: P, sink: Sink<Res>): AdmittedCall<P, Res> => {
    if (sink !== outermost || permit !== core.standing) return new AdmittedCall(settle, permit, sink);
    if (common?.permit !== permit) common = new AdmittedCall(settle, permit, outermost);
    return common as AdmittedCall<P, Res>;
  };
  const layer = layerOf((next) => (request, call, sink) => {
    let permit = core.standing;
    if (permit === undefined) {
      const atMs = clock.now();
      permit = core.admit(atMs);
      if (permit === undefined) {
        report?.({ type: 'breaker-open', atMs });
        return sink.settle(failed('breaker-open', { retryAfterMs: core.openForMs(atMs) }));
      }
    }
    return enter(next, request, call, stepFor(permit, sink));
  });
  return {
    layer,
    state: () => core.state(clock.now()),
    trip: () => {
      core.trip(clock.now());
    },
  };
}

/** Gives its permit back with what became of it. */
class AdmittedCall<P, Res> extends Step<Res> {
  private readonly giveBack: (permit: P, verdict: Verdict) => void;
  readonly permit: P;

  constructor(giveBack: (permit: P, verdict: Verdict) => void, permit: P, outer: Sink<Res>) {
    super(outer);
    this.giveBack = giveBack;
    this.permit = permit;
  }

  protected override ended(outcome: Outcome<Res> | undefined): void {
    // A bug on this side says nothing about the target.
    this.giveBack(this.permit, outcome === undefined ? 'excluded' : verdictOf(outcome));
  }
}
