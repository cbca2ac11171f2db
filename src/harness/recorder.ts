/** Recorder: how the requests of one class ended and how long each ending took. */
import { type FailureKind, failureKinds } from '../patterns/outcome.ts';
import {
  createHistogram,
  type EncodedHistogram,
  encodeHistogram,
  type Histogram,
  recordUs,
  sumHistograms,
} from './histogram.ts';

/** How a request that was sent can end. `in-flight`: it had no answer at the deadline. */
export const endings = ['confirmed', ...failureKinds, 'in-flight'] as const;
export type Ending = (typeof endings)[number];

/** What became of the requests of one class whose intended time lies in the window. Times in µs. */
export interface ClassReport {
  /** confirmed + all failures + skipped + in flight at the end, to the unit. */
  readonly offered: number;
  /** Not sent, because the in-flight cap was reached. */
  readonly skipped: number;
  readonly confirmed: number;
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>;
  readonly inFlightAtEnd: number;
  /** Intended send to end of the answer, by ending; for `in-flight` what it had waited. Only endings that occurred. */
  readonly response: Readonly<Partial<Record<Ending, EncodedHistogram>>>;
  /** Actual send to end of the answer, of everything that was sent. */
  readonly service: EncodedHistogram;
}

export class ClassRecorder {
  /** Requests whose time came, sent or not. */
  offered = 0;
  /** Requests that were not sent, because the in-flight cap was reached. */
  skipped = 0;
  private readonly response = new Map<Ending, Histogram>();
  private readonly service = createHistogram();

  /** Records the end of a request. Durations in µs. */
  record(ending: Ending, responseUs: number, serviceUs: number): void {
    let histogram = this.response.get(ending);
    if (histogram === undefined) {
      histogram = createHistogram();
      this.response.set(ending, histogram);
    }
    recordUs(histogram, responseUs);
    recordUs(this.service, serviceUs);
  }

  /** @throws Error when a request is unaccounted for: a bug in the load worker. */
  report(): ClassReport {
    const report: ClassReport = {
      offered: this.offered,
      skipped: this.skipped,
      confirmed: this.count('confirmed'),
      failures: present(failureKinds, (kind) => this.count(kind) || undefined),
      inFlightAtEnd: this.count('in-flight'),
      response: present(endings, (ending) => {
        const histogram = this.response.get(ending);
        return histogram && encodeHistogram(histogram);
      }),
      service: encodeHistogram(this.service),
    };
    const accounted = report.skipped + report.confirmed + failedCount(report) + report.inFlightAtEnd;
    if (report.offered !== accounted) {
      throw new Error(`of ${report.offered} offered requests ${accounted} are accounted for`);
    }
    return report;
  }

  private count(ending: Ending): number {
    return this.response.get(ending)?.totalCount ?? 0;
  }
}

/** Requests that failed, of all kinds. */
export function failedCount(report: ClassReport): number {
  return failureKinds.reduce((sum, kind) => sum + (report.failures[kind] ?? 0), 0);
}

/** Response times of the given endings together; of all of them unless told otherwise. */
export function responseHistogram(report: ClassReport, of: readonly Ending[] = endings): Histogram {
  return sumHistograms(
    of.map((ending) => report.response[ending]).filter((encoded) => encoded !== undefined),
  );
}

/** What several load workers saw of one class, as if one had seen it all. */
export function mergeClassReports(reports: readonly ClassReport[]): ClassReport {
  const sum = (of: (report: ClassReport) => number | undefined) =>
    reports.reduce((total, report) => total + (of(report) ?? 0), 0);
  return {
    offered: sum((report) => report.offered),
    skipped: sum((report) => report.skipped),
    confirmed: sum((report) => report.confirmed),
    failures: present(failureKinds, (kind) => sum((report) => report.failures[kind]) || undefined),
    inFlightAtEnd: sum((report) => report.inFlightAtEnd),
    response: present(endings, (ending) => {
      const parts = reports.map((report) => report.response[ending]).filter((part) => part !== undefined);
      return parts.length === 0 ? undefined : encodeHistogram(sumHistograms(parts));
    }),
    service: encodeHistogram(sumHistograms(reports.map((report) => report.service))),
  };
}

/** The keys for which there is a value, with it. */
function present<Key extends string, Value>(
  keys: readonly Key[],
  valueOf: (key: Key) => Value | undefined,
): Partial<Record<Key, Value>> {
  const found: Partial<Record<Key, Value>> = {};
  for (const key of keys) {
    const value = valueOf(key);
    if (value !== undefined) found[key] = value;
  }
  return found;
}
