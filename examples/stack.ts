// A stack: layers in order, outermost first: `npx tsx src/run.ts --pattern breaker,./examples/stack.ts`.
import { breaker, bulkhead, type OwnStack, retry } from 'wavetank';

export default [
  retry({ retriesMax: 2, baseMs: 50 }),
  breaker({ slowMs: 200, openMs: 1000 }),
  bulkhead({ concurrentMax: 40, queueMax: 20, queueMs: 100 }),
] satisfies OwnStack;
