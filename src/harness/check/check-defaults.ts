/** Check defaults: what a check measures where nobody says otherwise, as flags of `run`. */
import type { ScenarioName } from './check-metrics.ts';
import { historyFileDefault } from './history.ts';

/**
 * Flags of `run` for each scenario: short trials, because their number counts. Healthy ones at a third of what `run`
 * sends, because both sides run at once.
 *
 * What fails is back 1.45 s after it froze, however long its start takes. That is midway between two probes of the
 * default breaker, which come 1.2 and 1.8 s after: where the two could meet, chance would decide which of them finds it.
 */
export const scenarioDefaults: Readonly<Record<ScenarioName, string>> = {
  healthy: '--target healthy --rate 200 --warmup 2s --duration 3s',
  saturated: '--target healthy --sla 200ms --warmup 1s --duration 1500ms',
  failing:
    '--target stall:afterMs=600,forMs=200,downMs=1250,lostShare=0.05 --rate 300 --restart-delay 0 --warmup 500ms --duration 2700ms --set timeout.limitMs=500',
  leaking: '--target leaky --restart-delay 500ms --warmup 1s --duration 5s --set timeout.limitMs=1s',
};

export const checkDefaults = {
  pattern: 'retry+breaker',
  budgetMs: 240_000,
  alpha: 0.05,
  history: historyFileDefault,
} as const;

/** The longest that warm-up and window of a trial may take together. */
export const trialMaxMs = 120_000;
