// The same with opossum, in JavaScript: `npx tsx src/run.ts --pattern breaker,./examples/opossum.mjs`.
import CircuitBreaker from 'opossum';

const breaker = new CircuitBreaker(
  async (/** @type {import('wavetank').OwnCall} */ call) => {
    const response = await call();
    if (response.status >= 500) throw Object.assign(new Error('it failed'), { status: response.status });
    return response;
  },
  {
    timeout: 1000,
    errorThresholdPercentage: 10,
    volumeThreshold: 10,
    rollingCountTimeout: 500,
    resetTimeout: 500,
  },
);

/** @type {import('wavetank').CallWrapper} */
export default (call) => breaker.fire(call);
