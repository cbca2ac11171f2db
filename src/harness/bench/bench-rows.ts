/** Bench rows: what was measured, as the figures that are printed, written and drawn. Pure. */
import { type Interval, medianEstimate, medianOf } from '../statistics.ts';
import { bareOf, type Library } from './bench-case.ts';
import type { Measured } from './bench-run.ts';

export interface BenchRow {
  /** The stack, and in brackets what is special. */
  readonly name: string;
  readonly library: Library;
  /** ns for each call, the call of the target included: the median over the rounds. */
  readonly ns: number;
  /** Its 95 % interval; null with fewer than 6 rounds. */
  readonly nsInterval: Interval | null;
  /** `ns` over that of the target called with nothing around it: the median of the rounds' own ratios. */
  readonly ratioToBare: number;
  /** `ns` over that of the fastest peer, in the same way; null for a peer, and where no peer has the same. */
  readonly ratioToBestPeer: number | null;
  /** Bytes of heap for each pending call, the target's own included; null where it is not measured. */
  readonly bytesPerPending: number | null;
}

export function benchRows(measured: readonly Measured[]): BenchRow[] {
  return measured.map(({ case: one, library, roundsNs, bytesPerPending }) => {
    const bareNs = roundsOfBare(measured, one);
    const peers = measured.filter((other) => other.case.name === one.name && other.library !== 'wavetank');
    const [best] = peers.toSorted((a, b) => medianOf(a.roundsNs) - medianOf(b.roundsNs));
    const { value, interval } = medianEstimate(roundsNs);
    return {
      name: one.name,
      library,
      ns: value,
      nsInterval: interval,
      ratioToBare: ratio(roundsNs, bareNs),
      ratioToBestPeer: library === 'wavetank' && best !== undefined ? ratio(roundsNs, best.roundsNs) : null,
      bytesPerPending,
    };
  });
}

function roundsOfBare(measured: readonly Measured[], one: Measured['case']): readonly number[] {
  const { name } = bareOf(one);
  const found = measured.find((other) => other.case.name === name);
  if (found === undefined) throw new Error(`${name} was not measured`);
  return found.roundsNs;
}

/** Round by round, because the machine is not equally fast in all of them. */
function ratio(ns: readonly number[], toNs: readonly number[]): number {
  return medianOf(ns.map((value, round) => value / (toNs[round] as number)));
}
