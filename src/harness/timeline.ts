/** Timeline: what load, gateway, canary and service saw, side by side in steps of 250 ms. Pure. */
import type { GatewaySample } from './gateway-plan.ts';
import type { TargetSample } from './life-story.ts';
import type { TrialTimes } from './load-plan.ts';
import { type LoadStep, stepMs } from './recorder-steps.ts';
import type { TimelineRow } from './result.ts';

export interface TimelineParts {
  readonly times: TrialTimes;
  readonly steps: readonly LoadStep[];
  readonly gatewaySamples: readonly GatewaySample[];
  readonly canarySamples: readonly { readonly atMs: number; readonly loopDelayP99Us: number | null }[];
  readonly targetSamples: readonly TargetSample[];
}

/** One row per step of the load; what others sampled stands in the step in which they sampled it, the last of several. */
export function timeline(parts: TimelineParts): TimelineRow[] {
  const stepOf = (atMs: number) => Math.floor((atMs - parts.times.windowStartMs) / stepMs) * stepMs;
  const byStep = <Sample extends { readonly atMs: number }>(samples: readonly Sample[]) =>
    new Map(samples.map((sample) => [stepOf(sample.atMs), sample]));
  const gateway = byStep(parts.gatewaySamples);
  const canary = byStep(parts.canarySamples);
  const target = byStep(parts.targetSamples);
  return parts.steps.map((step) => {
    const ofGateway = gateway.get(step.atMs);
    const ofTarget = target.get(step.atMs);
    return {
      atMs: step.atMs,
      offered: step.offered,
      confirmed: step.confirmed,
      failed: step.failed,
      responseP99Us: step.responseP99Us,
      latenessP99Us: step.latenessP99Us,
      inFlight: ofGateway?.inFlight ?? null,
      breakerState: ofGateway?.breakerState ?? null,
      loopDelayP99Us: ofGateway?.loopDelayP99Us ?? null,
      canaryDelayP99Us: canary.get(step.atMs)?.loopDelayP99Us ?? null,
      targetUp: ofTarget?.up ?? null,
      rssBytes: ofTarget?.rssBytes ?? null,
      cpuPercent: ofTarget?.cpuPercent ?? null,
    };
  });
}
