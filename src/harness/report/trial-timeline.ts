/** Trial timeline: the rows of a trial as the columns that the report draws, in coarser steps where there are many. */
import { isDeath } from '../life-story.ts';
import { stepMs } from '../recorder-steps.ts';
import type { TimelineRow, Trial } from '../result.ts';
import { mebibyte } from '../units.ts';
import type { BandState, TimelineColumn, TrialTimeline } from './page-data.ts';

type Steps = readonly (readonly TimelineRow[])[];

/** @param trial From 1. @param rowsPerStep How many rows of 250 ms become one step. */
export function trialTimeline(record: Trial, trial: number, rowsPerStep: number): TrialTimeline {
  const steps: Steps = Array.from({ length: Math.ceil(record.timeline.length / rowsPerStep) }, (_, index) =>
    record.timeline.slice(index * rowsPerStep, (index + 1) * rowsPerStep),
  );
  const stepS = (rowsPerStep * stepMs) / 1000;
  const highest = (of: (row: TimelineRow) => number | null, scale: number) =>
    steps.map((rows) => {
      const known = rows.map(of).filter((value) => value !== null);
      return known.length === 0 ? null : rounded(Math.max(...known) / scale);
    });
  const perS = (of: (row: TimelineRow) => number) =>
    steps.map((rows) =>
      rounded(rows.reduce((sum, row) => sum + of(row), 0) / ((rows.length * stepMs) / 1000)),
    );
  const columns: Record<TimelineColumn, (number | null)[]> = {
    offeredPerS: perS((row) => row.offered),
    confirmedPerS: perS((row) => row.confirmed),
    failedPerS: perS((row) => row.failed),
    responseP99Ms: highest((row) => row.responseP99Us, 1000),
    inFlight: highest((row) => row.inFlight, 1),
    memoryMB: highest((row) => row.rssBytes, mebibyte),
    loopDelayP99Ms: highest((row) => row.loopDelayP99Us, 1000),
    canaryDelayP99Ms: highest((row) => row.canaryDelayP99Us, 1000),
  };
  const startS = steps.map((rows) => (rows[0]?.atMs ?? 0) / 1000);
  const endS = (startS.at(-1) ?? 0) + stepS;
  return {
    trial,
    valid: record.valid,
    windowS: record.windowMs / 1000,
    stepS,
    startS,
    columns,
    bands: breakerBands(record.breaker?.transitions ?? [], endS),
    deathsS:
      record.target === null
        ? null
        : record.target.exits.filter(({ reason }) => isDeath(reason)).map((exit) => seconds(exit.atMs)),
    restartsS: (record.target?.starts ?? []).slice(1).map((start) => seconds(start.atMs)),
  };
}

/** The times between transitions in which the breaker was not closed; one that is still open lasts to `endS`. */
export function breakerBands(
  transitions: NonNullable<Trial['breaker']>['transitions'],
  endS: number,
): { fromS: number; toS: number; state: BandState }[] {
  return transitions.flatMap(({ atMs, to }, index) => {
    if (to === 'closed') return [];
    const next = transitions[index + 1];
    const toS = next === undefined ? Math.max(endS, atMs / 1000) : next.atMs / 1000;
    return [{ fromS: seconds(atMs), toS: rounded(toS), state: to }];
  });
}

function seconds(ms: number): number {
  return rounded(ms / 1000);
}

/** Three decimals: more would only make the page larger. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
