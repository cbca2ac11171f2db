/** Comparable: whether two results can be compared at all. Pure. */
import { UsageError } from '../../patterns/usage-error.ts';
import type { Result } from '../result.ts';
import type { ScenarioName } from './check-metrics.ts';

export interface Measured {
  /** How it is named in an error. */
  readonly name: string;
  readonly host: Result['host'];
  /** Null: they are the same by design. */
  readonly options: Result['options'] | null;
}

/** Options that say how much was measured, not what. */
const amounts: ReadonlySet<string> = new Set(['trials', 'seed', 'pattern']);

/** @throws {UsageError} One line, for the first thing that differs and should not. */
export function comparableResults(a: Measured, b: Measured): void {
  const differ = (what: string, ofA: unknown, ofB: unknown) =>
    new UsageError(
      `${a.name} and ${b.name} differ in ${what} (${String(ofA)}, ${String(ofB)}); allowed: results of one machine, one Node major version and the same options`,
    );
  for (const key of ['cpu', 'cores', 'platform'] as const) {
    if (a.host[key] !== b.host[key]) throw differ(`the machine's ${key}`, a.host[key], b.host[key]);
  }
  if (majorOf(a.host.node) !== majorOf(b.host.node))
    throw differ('the version of Node', a.host.node, b.host.node);
  if (a.options === null || b.options === null) return;
  for (const key of new Set([...Object.keys(a.options), ...Object.keys(b.options)])) {
    const [ofA, ofB] = [a.options[key], b.options[key]].map((value) => JSON.stringify(value ?? null));
    if (!amounts.has(key) && ofA !== ofB) throw differ(`the option ${key}`, ofA, ofB);
  }
}

/** `v20.11.0` has the major version 20. */
function majorOf(version: string): string {
  return version.replace(/^v/, '').split('.', 1)[0] ?? '';
}

export function scenarioOfResult({ options }: Result): ScenarioName {
  return options.target === 'healthy' ? 'healthy' : 'failing';
}
