/** Patterns: the resilience layers, and what one needs to use them. */
export { type Backoff, backoffMs, type Jitter, jitters } from './backoff.ts';
export { type Breaker, breaker, createBreaker } from './breaker.ts';
export type { BreakerOptions } from './breaker-core.ts';
export { type BreakerCountOptions, breakerCount, createBreakerCount } from './breaker-count.ts';
export { type Bulkhead, bulkhead, createBulkhead } from './bulkhead.ts';
export type { BulkheadOptions } from './bulkhead-core.ts';
export { type Call, type CallOptions, callFrom, type Work } from './call.ts';
export { type Cancellable, Cancellation } from './cancellation.ts';
export type { Clock, Millis } from './clock.ts';
export type { BreakerState, PolicyEvent, PolicyEventType } from './events.ts';
export { type HttpSendOptions, httpSend } from './http-send.ts';
export type { Layer, Runtime, Send } from './layer.ts';
export type { OptionValue } from './option.ts';
export type { OptionDescription } from './option-set.ts';
export { type LayerName, layerNames } from './options.ts';
export { confirmed, type Failure, type FailureKind, failed, failureKinds, type Outcome } from './outcome.ts';
export type { CallWrapper, OwnCall, OwnStack } from './own-stack.ts';
export { type Client, compose, pipeline } from './pipeline.ts';
export { deriveSeed, seededRandom } from './random.ts';
export { parseRateLimits, type RateLimitPolicy } from './rate-limit-policy.ts';
export { type Quota, type RateDecision, RateLimiter } from './rate-limiter.ts';
export { realClock, realRuntime } from './real-runtime.ts';
export {
  isSafeToRetry,
  type RetryBudgetOptions,
  type RetryOptions,
  retry,
  retryBlind,
  retryBudget,
} from './retry.ts';
export { parseRetryAfter } from './retry-after.ts';
export { SimClock } from './sim-clock.ts';
export {
  type BuiltStack,
  buildStack,
  describeLayers,
  type LayerDescription,
  type LayerPlan,
  parseStacks,
  type StackPlan,
  stackLists,
} from './stack.ts';
export { type TimeoutOptions, timedOut, timeout } from './timeout.ts';
export { UsageError } from './usage-error.ts';
export { type Verdict, verdictOf } from './verdict.ts';
