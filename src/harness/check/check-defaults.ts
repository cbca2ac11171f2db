/** Check defaults: what a check measures where nobody says otherwise, as flags of `run`. */
import type { ScenarioName } from './check-metrics.ts';
import { historyFileDefault } from './history.ts';

/**
 * Flags of `run` for each scenario: short trials, because their number counts. Healthy ones at a third of the rate,
 * because both sides run at once. What fails comes back well between two probes of the default breaker, 0.6 and 1.2 s into the
 * outage: where the two could meet, chance would decide whether a trial sees the breaker close.
 */
export const scenarioDefaults: Readonly<Record<ScenarioName, string>> = {
  healthy: '--target healthy --rate 200 --warmup 2s --duration 3s',
  saturated: '--target healthy --sla 200ms --warmup 1s --duration 1500ms',
  failing:
    '--target stall:afterMs=700,forMs=200,lostShare=0.04 --rate 300 --restart-delay 50ms --warmup 500ms --duration 2300ms --set timeout.limitMs=500',
  leaking: '--target leaky --restart-delay 500ms --warmup 1s --duration 5s --set timeout.limitMs=1s',
};

export const checkDefaults = {
  pattern: 'retry+breaker',
  budgetMs: 240_000,
  alpha: 0.05,
  history: historyFileDefault,
} as const;

export function patternFlags(pattern: string, set: readonly string[]): string[] {
  return ['--pattern', pattern, ...set.flatMap((setting) => ['--set', setting])];
}

/** Splits flags at spaces, as a shell does; quotes hold a word together. */
export function words(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}
