/** Canary thread: does nothing at all, so that whatever delays its loop is the noise of the host. */
import { parentPort, workerData } from 'node:worker_threads';
import type { CanaryPlan, FromCanary, ToCanary } from '../harness/load-plan.ts';
import { LoopDelayProbe } from '../harness/loop-delay.ts';
import { stepMs } from '../harness/recorder-steps.ts';
import { monotonicMs } from '../harness/time.ts';

const { pulses } = workerData as CanaryPlan;
const main = parentPort;
if (main === null) throw new Error('the canary runs in a thread of its own');

const probe = new LoopDelayProbe(pulses);
const sampler = setInterval(() => {
  tell({ type: 'sample', atMs: monotonicMs(), loopDelayP99Us: probe.takeIntervalP99Us() });
}, stepMs);

main.on('message', (message: ToCanary) => {
  switch (message.type) {
    case 'window':
      probe.startWindow(message.fromMs, message.toMs);
      void finish();
      break;
    case 'end-window':
      probe.endWindow(message.atMs);
      break;
  }
});

tell({ type: 'ready' });

async function finish(): Promise<void> {
  const report = await probe.report();
  clearInterval(sampler);
  tell({ type: 'report', report });
  main?.close();
}

function tell(message: FromCanary): void {
  main?.postMessage(message);
}
