/** Sides: what a check compares, and how to get a trial of each. */
import type { Trial } from '../result.ts';
import type { ScenarioName } from './check-metrics.ts';
import type { Side } from './check-record.ts';
import type { Rendezvous } from './rendezvous.ts';

export type SideName = 'a' | 'b';

export interface Sides {
  /** The baseline; null: there is none. */
  readonly a: Side | null;
  /** What is judged. */
  readonly b: Side;
  readonly aMeasuredEarlier: boolean;
  /** The stack that is measured, or was. */
  readonly pattern: string;
  /** The flags of `run` in a scenario, as far as they are known. */
  flagsOf(scenario: ScenarioName): string;
  /** What there are trials of. */
  readonly scenarios: readonly ScenarioName[];
  /** As many rounds as there are trials. */
  readonly roundsMax: number;
  /** For the reader of the verdict. */
  readonly warnings: readonly string[];
  /** The trial of a side in a round, from 1; `together`: where it waits for the other one. Null: interrupted. */
  measure(
    side: SideName,
    scenario: ScenarioName,
    round: number,
    interrupt: AbortSignal,
    together?: Rendezvous,
  ): Promise<Trial | null>;
  close(): void;
}
