/** Check warnings: what the reader of a check's verdict has to know about its rounds. Pure. */
import { type CheckMetricKey, checkMetric, duets, scenarioNames } from './check-metrics.ts';
import type { Round } from './check-record.ts';
import type { Question } from './conclude.ts';
import { roundsMin } from './evidence.ts';

/** Where too few rounds count, and where it is B that made them so. */
export function roundWarnings(rounds: readonly Round[]): string[] {
  return scenarioNames.flatMap((scenario) => {
    const pairs = rounds.flatMap((round) => round.pairs).filter((pair) => pair.scenario === scenario);
    const discards = pairs.flatMap(({ discarded }) => discarded ?? []);
    const counted = pairs.length - discards.length;
    const byB = discards.filter((why) => why.startsWith('B: ')).length;
    const tooFew =
      pairs.length > 0 && counted < roundsMin
        ? [
            `only ${counted} of ${pairs.length} ${scenario} rounds count, and nothing is decided with fewer than ${roundsMin}: give a larger --budget, or a quieter machine`,
          ]
        : [];
    // In a duet both are late when one of them is; a trial that had the machine to itself may have made it late.
    const suspicious =
      !duets.has(scenario) && byB >= roundsMin && byB === discards.length && byB > counted
        ? [
            `in ${byB} of ${pairs.length} ${scenario} rounds the host was disturbed while B was measured, and never while A was: that may be what was changed`,
          ]
        : [];
    return [...tooFew, ...suspicious];
  });
}

/** The metrics that were asked for and have no answer. */
export function unansweredWarnings(asked: readonly CheckMetricKey[], { effects }: Question): string[] {
  const unanswered = asked.filter((key) => !effects.has(key)).map((key) => checkMetric(key).name);
  if (unanswered.length === 0) return [];
  return [`not compared, because no round has them on both sides: ${unanswered.join(', ')}`];
}
