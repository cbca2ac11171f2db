import { describe, expect, it } from 'vitest';
import { runArtefacts } from './run-artefacts.ts';
import { sampleResult, sampleTrial } from './trial.test.kit.ts';

const result = sampleResult({ baseline: sampleTrial(2000), breaker: sampleTrial(1000) });

describe('runArtefacts', () => {
  it('holds the report and the charts once, and a .hgrm and a .hlog for each stack and class', () => {
    expect(runArtefacts(result).map(({ name }) => name)).toEqual([
      'report.html',
      'percentiles.orders.svg',
      'timeline.svg',
      'baseline.orders.hgrm',
      'breaker.orders.hgrm',
      'baseline.orders.hlog',
      'breaker.orders.hlog',
      'percentiles.bystander.svg',
      'baseline.bystander.hgrm',
      'breaker.bystander.hgrm',
      'baseline.bystander.hlog',
      'breaker.bystander.hlog',
      'percentiles.users.svg',
      'baseline.users.hgrm',
      'breaker.users.hgrm',
      'baseline.users.hlog',
      'breaker.users.hlog',
    ]);
  });

  it('draws the SLA line of the run, where it has one', () => {
    const svgOf = (slaMs: number | null) =>
      runArtefacts({ ...result, options: { slaMs } }).find(({ name }) => name.endsWith('.svg'))?.text;
    expect(svgOf(50)).toContain('SLA 50.0 ms');
    expect(svgOf(null)).not.toContain('SLA');
  });
});
