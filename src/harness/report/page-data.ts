/** Page data: what the report's script draws, as it stands in the page. Types alone, shared with the script. */

/** The classes of orders among which the percentile chart switches. */
export const orderClasses = ['all', 'confirmed', 'failed'] as const;
export type OrderClass = (typeof orderClasses)[number];

/** One line of a percentile chart: a value for each depth. */
export interface PercentileLine {
  /** log10(1 / (1 - p)): 0 for the minimum, 1 for 90 %, 2 for 99 %; rising. */
  readonly depth: readonly number[];
  /** In ms, as long as `depth`. */
  readonly valueMs: readonly number[];
}

/** A trial's story in even steps. A null is a step in which nothing was measured. */
export interface TrialTimeline {
  /** From 1, in the order in which the trials of the stack ran. */
  readonly trial: number;
  readonly valid: boolean;
  readonly windowS: number;
  readonly stepS: number;
  /** Where each step begins, in s from the start of the window; negative in the warm-up. */
  readonly startS: readonly number[];
  readonly columns: Readonly<Record<TimelineColumn, readonly (number | null)[]>>;
  /** When the breaker was not closed. */
  readonly bands: readonly { readonly fromS: number; readonly toS: number; readonly state: BandState }[];
  /** Null: nobody watches the service. */
  readonly deathsS: readonly number[] | null;
  /** When a new process was ready to serve, without the first. */
  readonly restartsS: readonly number[];
}

export type BandState = 'open' | 'half-open';

export type TimelineColumn =
  | 'offeredPerS'
  | 'confirmedPerS'
  | 'failedPerS'
  | 'responseP99Ms'
  | 'inFlight'
  | 'memoryMB'
  | 'loopDelayP99Ms'
  | 'canaryDelayP99Ms';

export interface PageStack {
  readonly name: string;
  /** Null: no samples of that class. */
  readonly percentiles: Readonly<Record<OrderClass, PercentileLine | null>>;
  readonly gatewayDelay: PercentileLine | null;
  readonly canaryDelay: PercentileLine | null;
  readonly timelines: readonly TrialTimeline[];
}

export interface PageData {
  readonly slaMs: number;
  readonly stacks: readonly PageStack[];
}
