/** Bench case: everything whose cost is measured, by name. Pure. */
import { layerNames, type LayerName } from '../../patterns/options.ts';
import type { PeerName } from '../peers/peer-stack.ts';

/** Ours and the peers. */
export type Library = 'wavetank' | PeerName;

/**
 * What happens to the calls: they succeed; they succeed while our breaker watches whether they become slow, which is its
 * default and no peer's; they are turned away (by an open breaker, or a full bulkhead); they fail, with few calls in the
 * breaker's window (`failingCalls` and those that warm them up) or with `fullWindowCalls`.
 */
export type Situation = 'success' | 'watched' | 'rejected' | 'failing' | 'full window';

export interface BenchCase {
  /** The stack, and in brackets what is special: `retry+breaker (failing)`. */
  readonly name: string;
  /** Outermost first; none is the bare call. */
  readonly layers: readonly LayerName[];
  readonly situation: Situation;
  /** Calls that are started before the first of them is waited for. */
  readonly inFlight: number;
}

export const bare = 'bare';
export const fullWindowCalls = 100_000;
/** Calls in a sample of failing calls, and those that warm it up. The window is empty before. */
export const failingCalls = 50;
export const failingWarmUpCalls = 10;

const stacks: readonly (readonly LayerName[])[] = [
  [],
  // A burn costs what it is told to cost.
  ...layerNames.filter((layer) => layer !== 'burn').map((layer) => [layer]),
  ['breaker', 'timeout'],
  ['retry', 'breaker', 'bulkhead'],
  ['retry', 'breaker', 'bulkhead', 'timeout'],
];

export const benchCases: readonly BenchCase[] = stacks.flatMap((layers) => {
  const stack = layers.length === 0 ? bare : layers.join('+');
  const one = (note: string, situation: Situation, inFlight: number): BenchCase => ({
    name: note === '' ? stack : `${stack} (${note})`,
    layers,
    situation,
    inFlight,
  });
  const hasBreaker = layers.includes('breaker');
  const turnsAway = hasBreaker || layers.includes('breaker-count') || layers.includes('bulkhead');
  return [
    one('', 'success', 1),
    one('100 in flight', 'success', 100),
    one('5000 in flight', 'success', 5000),
    ...(hasBreaker ? [one('slowMs', 'watched', 1)] : []),
    ...(turnsAway ? [one('rejected', 'rejected', 1)] : []),
    ...(layers.length > 0 ? [one('failing', 'failing', 1)] : []),
    ...(hasBreaker ? [one('100k window', 'full window', 1)] : []),
  ];
});

/** The name without what is in brackets. */
export function stackOf(name: string): string {
  return name.replace(/ \(.*$/, '');
}

/** The cases that somebody asks for by the name of a stack, or by a whole name. */
export function casesNamed(name: string): readonly BenchCase[] {
  return benchCases.filter((one) => one.name === name || stackOf(one.name) === name);
}

/** The bare call that a case is held against: with as many in flight. */
export function bareOf({ inFlight }: BenchCase): BenchCase {
  const found = benchCases.find((one) => one.layers.length === 0 && one.inFlight === inFlight);
  if (found === undefined) throw new Error(`no bare call with ${inFlight} in flight`);
  return found;
}
