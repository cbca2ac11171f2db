import { describe, expect, it } from 'vitest';
import { type LoadStep, mergeSteps, StepRecorder, stepMs } from './recorder-steps.ts';

const windowStartMs = 10_000;

function recorder(startMs: number) {
  const heard: LoadStep[] = [];
  return { steps: new StepRecorder(startMs, windowStartMs, (step) => heard.push(step)), heard };
}

describe('the steps of the timeline', () => {
  it('begin at the start of the window plus or minus whole steps', () => {
    const { steps, heard } = recorder(windowStartMs - 600);
    steps.advance(windowStartMs + 2 * stepMs);
    expect(heard.map((step) => step.atMs)).toEqual([-750, -500, -250, 0, 250]);
    expect(steps.steps).toEqual(heard);
  });

  it('count what happened in them', () => {
    const { steps, heard } = recorder(windowStartMs);
    steps.orderOffered(windowStartMs);
    steps.requestSent(100);
    steps.orderOffered(windowStartMs + 10);
    steps.orderSkipped();
    steps.orderOffered(windowStartMs + 260);
    steps.requestSent(300);
    steps.requestEnded(windowStartMs + 270);
    steps.orderEnded(true, 270_000);
    steps.requestEnded(windowStartMs + 510);
    steps.orderEnded(false, 250_000);
    steps.advance(windowStartMs + 750);
    const none = {
      offered: 0,
      skipped: 0,
      confirmed: 0,
      failed: 0,
      responseP99Us: null,
      latenessP99Us: null,
    };
    expect(heard).toEqual([
      { ...none, atMs: 0, offered: 2, skipped: 1, inFlight: 1, latenessP99Us: 100 },
      {
        ...none,
        atMs: 250,
        offered: 1,
        confirmed: 1,
        inFlight: 1,
        responseP99Us: 270_079,
        latenessP99Us: 300,
      },
      { ...none, atMs: 500, failed: 1, inFlight: 0, responseP99Us: 250_111 },
    ]);
  });

  it('of several workers add up, but for the p99, of which the largest stays', () => {
    const step: LoadStep = {
      atMs: 0,
      offered: 3,
      skipped: 1,
      confirmed: 1,
      failed: 1,
      inFlight: 2,
      responseP99Us: 10,
      latenessP99Us: null,
    };
    const merged = mergeSteps([
      [step, { ...step, atMs: 250 }],
      [{ ...step, responseP99Us: 30, latenessP99Us: 5 }],
    ]);
    expect(merged).toEqual([
      {
        atMs: 0,
        offered: 6,
        skipped: 2,
        confirmed: 2,
        failed: 2,
        inFlight: 4,
        responseP99Us: 30,
        latenessP99Us: 5,
      },
      { ...step, atMs: 250 },
    ]);
  });
});
