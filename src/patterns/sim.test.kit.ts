/** What the tests of layers share: a simulated runtime whose events are kept, and a target that does as it is told. */
import type { Call } from './call.ts';
import { Cancellation } from './cancellation.ts';
import type { Millis } from './clock.ts';
import type { PolicyEvent, PolicyEventType } from './events.ts';
import type { Runtime, Send } from './layer.ts';
import { confirmed, failed, type Outcome } from './outcome.ts';
import { seededRandom } from './random.ts';
import { SimClock } from './sim-clock.ts';

export class Simulation {
  readonly clock = new SimClock();
  readonly events: PolicyEvent[] = [];
  readonly runtime: Runtime;

  constructor(seed = 1) {
    this.runtime = {
      clock: this.clock,
      random: seededRandom(seed),
      report: (event) => this.events.push(event),
    };
  }

  /** How many events of a type there were. */
  count(type: PolicyEventType): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** The breaker's edges so far, as `closed>open`. */
  edges(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'breaker-transition' ? [`${event.from}>${event.to}`] : [],
    );
  }
}

/** A listener with a bug. */
export function throwing(): never {
  throw new Error('listener');
}

/** A call that nobody has cancelled yet; idempotent unless it is said otherwise. */
export function callOf(more: Partial<Call> = {}): Call {
  return { method: 'GET', cancellation: new Cancellation(), ...more };
}

/** One attempt as the target sees it. */
export interface SeenAttempt {
  readonly request: unknown;
  readonly call: Call;
  readonly atMs: Millis;
  /** Whether its caller has gone away before it was answered. */
  aborted: boolean;
  answer(outcome: Outcome<string>): void;
}

/** A target that keeps every attempt. Whether and when it answers is up to `behave`; without, it hangs. */
export class FakeTarget {
  readonly attempts: SeenAttempt[] = [];
  private readonly clock: SimClock;
  private readonly behave: (attempt: SeenAttempt, index: number) => void;

  constructor(clock: SimClock, behave: (attempt: SeenAttempt, index: number) => void = () => undefined) {
    this.clock = clock;
    this.behave = behave;
  }

  readonly send: Send<unknown, string> = (request, call) =>
    new Promise((resolve) => {
      const attempt: SeenAttempt = {
        request,
        call,
        atMs: this.clock.now(),
        aborted: false,
        answer: (outcome) => {
          unlink();
          resolve(outcome);
        },
      };
      const unlink = call.cancellation.onCancel((reason) => {
        attempt.aborted = true;
        resolve(failed('cancelled', { reason }));
      });
      this.attempts.push(attempt);
      this.behave(attempt, this.attempts.length - 1);
    });
}

/** A target that gives these answers one after another, the last one for ever, each after `delayMs`. */
export function scripted(clock: SimClock, answers: readonly Outcome<string>[], delayMs = 0): FakeTarget {
  return new FakeTarget(clock, (attempt, index) => {
    const outcome = answers[Math.min(index, answers.length - 1)] ?? confirmed('done');
    if (delayMs === 0) attempt.answer(outcome);
    else {
      clock.after(delayMs, () => {
        attempt.answer(outcome);
      });
    }
  });
}

/** An outcome that can be looked at before it is there. */
export interface Watched {
  outcome: Outcome<string> | undefined;
  settledAtMs: Millis | undefined;
}

/** Watches a call end. */
export function watch(clock: SimClock, promise: Promise<Outcome<string>>): Watched {
  const watched: Watched = { outcome: undefined, settledAtMs: undefined };
  void promise.then((outcome) => {
    watched.outcome = outcome;
    watched.settledAtMs = clock.now();
  });
  return watched;
}

/** `confirmed`, or the kind of failure, or `pending`. */
export function ending({ outcome }: Watched): string {
  if (outcome === undefined) return 'pending';
  return outcome.ok ? 'confirmed' : outcome.failure.kind;
}
