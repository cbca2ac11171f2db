/** Load ledger: keeps account of every request of a load worker, from the moment at which it is due to its end. */
import { createHistogram, encodeHistogram, recordUs } from '../harness/histogram.ts';
import { fateCode, type LoadReport, type OrderFate, type TrialTimes } from '../harness/load-plan.ts';
import { ClassRecorder, type Ending } from '../harness/recorder.ts';
import { type LoadStep, StepRecorder } from '../harness/recorder-steps.ts';
import { forEachClass, type RequestClass, requestClassOf } from '../harness/request-class.ts';

/** A request in flight. */
export interface LoadRequest {
  readonly index: number;
  readonly requestClass: RequestClass;
  /** Its intended time lies in the window. */
  readonly measured: boolean;
  readonly intendedMs: number;
  readonly sentMs: number;
}

/** All moments are passed in (`monotonicMs`); those that say "now" must not go back. */
export class LoadLedger {
  /** Everything that was sent and has not ended. */
  readonly inFlight = new Set<LoadRequest>();
  private readonly windowStartMs: number;
  private windowEndMs: number;
  private readonly classes = forEachClass(() => new ClassRecorder());
  private readonly lateness = createHistogram();
  private readonly steps: StepRecorder;
  private fates: Uint8Array;
  private intendedMs: Float64Array;

  /** @param indices How many indices there will be; more is possible. */
  constructor(times: TrialTimes, indices: number, onStep: (step: LoadStep) => void) {
    this.windowStartMs = times.windowStartMs;
    this.windowEndMs = times.windowEndMs;
    this.steps = new StepRecorder(times.startMs, times.windowStartMs, onStep);
    this.fates = new Uint8Array(indices);
    this.intendedMs = new Float64Array(indices);
  }

  /** A request goes out now. It stays in flight until `ended`, or until `abandon`. */
  sent(index: number, intendedMs: number, nowMs: number): LoadRequest {
    const request = this.offered(index, intendedMs, nowMs);
    // The tick that says that it is due comes from another thread, whose time may be a microsecond ahead.
    const latenessUs = Math.max(0, (nowMs - intendedMs) * 1000);
    if (request.measured) recordUs(this.lateness, latenessUs);
    this.steps.requestSent(latenessUs);
    this.inFlight.add(request);
    return request;
  }

  /** A request is due, but will not be sent. */
  skipped(index: number, intendedMs: number, nowMs: number): void {
    const request = this.offered(index, intendedMs, nowMs);
    if (request.requestClass === 'orders') this.steps.orderSkipped();
    if (!request.measured) return;
    this.classes[request.requestClass].skipped += 1;
    this.setFate(request, 'skipped');
  }

  /** A request has its answer, or failed. */
  ended(request: LoadRequest, ending: Ending, nowMs: number): void {
    this.inFlight.delete(request);
    this.steps.requestEnded(nowMs);
    const responseUs = Math.max(0, (nowMs - request.intendedMs) * 1000);
    if (request.requestClass === 'orders') this.steps.orderEnded(ending === 'confirmed', responseUs);
    if (request.measured) this.record(request, ending, responseUs, nowMs);
  }

  /** Lets time pass, where nothing else happens. */
  advance(nowMs: number): void {
    this.steps.advance(nowMs);
  }

  /** Ends the window now, if it has not ended before. */
  cutWindow(nowMs: number): void {
    this.windowEndMs = Math.min(this.windowEndMs, Math.max(this.windowStartMs, nowMs));
  }

  /** Gives up on what is in flight: it is recorded with the time that it has waited. */
  abandon(nowMs: number): void {
    for (const request of this.inFlight) {
      this.inFlight.delete(request);
      this.steps.requestEnded(nowMs);
      if (request.measured) this.record(request, 'in-flight', (nowMs - request.intendedMs) * 1000, nowMs);
    }
  }

  /** @throws Error when a request is unaccounted for: a bug. */
  report(): Omit<LoadReport, 'loops' | 'realTime'> {
    return {
      windowEndMs: this.windowEndMs,
      classes: forEachClass((name) => this.classes[name].report()),
      lateness: encodeHistogram(this.lateness),
      fates: this.fates,
      intendedMs: this.intendedMs,
      steps: this.steps.steps,
    };
  }

  private offered(index: number, intendedMs: number, nowMs: number): LoadRequest {
    const requestClass = requestClassOf(index);
    const measured = intendedMs >= this.windowStartMs && intendedMs < this.windowEndMs;
    if (measured) this.classes[requestClass].offered += 1;
    if (requestClass === 'orders') this.steps.orderOffered(nowMs);
    else this.steps.advance(nowMs);
    return { index, requestClass, measured, intendedMs, sentMs: nowMs };
  }

  private record(request: LoadRequest, ending: Ending, responseUs: number, nowMs: number): void {
    this.classes[request.requestClass].record(ending, responseUs, (nowMs - request.sentMs) * 1000);
    this.setFate(request, ending);
  }

  /** Orders alone have a fate: it is theirs that the ledger is asked about. */
  private setFate({ requestClass, index, intendedMs }: LoadRequest, fate: OrderFate): void {
    if (requestClass !== 'orders') return;
    if (index >= this.fates.length) {
      const length = Math.max(1024, 2 * index);
      const fates = new Uint8Array(length);
      fates.set(this.fates);
      this.fates = fates;
      const moments = new Float64Array(length);
      moments.set(this.intendedMs);
      this.intendedMs = moments;
    }
    this.fates[index] = fateCode(fate);
    this.intendedMs[index] = intendedMs;
  }
}
