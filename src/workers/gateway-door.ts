/** Gateway door: the rate limits of a plan, with whatever counts for them. */
import type { RateLimitPlan } from '../harness/rate-limit-plan.ts';
import type { Clock } from '../patterns/clock.ts';
import type { PolicyEvent } from '../patterns/events.ts';
import { RateLimiter } from '../patterns/rate-limiter.ts';
import type { RedisRateLimiter } from './redis-rate-limiter.ts';
import { createRateLimitDoor, type DoorEventType, type RateLimitDoor } from './rate-limit-door.ts';

export interface OpenDoor {
  readonly door: RateLimitDoor;
  readonly close: () => void;
}

/** Decisions, a few at a time, by which the code for Redis is compiled before the first real one. */
const warmUpDecisions = { rounds: 30, atOnce: 10 } as const;

/** A Redis that is not there within this time is not waited for: then the door fails open, or closed, until it is. */
const connectMs = 2000;

/** Resolves, with Redis, when it is connected. */
export async function openRateLimitDoor(
  plan: RateLimitPlan | null,
  clock: Clock,
  onEvent: (event: PolicyEvent) => void,
): Promise<OpenDoor | undefined> {
  if (plan === null) return undefined;
  const { policies, redis } = plan;
  const report = (type: DoorEventType) => {
    onEvent({ type, atMs: clock.now() });
  };
  if (redis === null) {
    const limiter = new RateLimiter(policies);
    const decide = (client: string) => limiter.decide(client, clock.now());
    return {
      door: createRateLimitDoor({ policies, decide, failOpen: true, report }),
      close: () => undefined,
    };
  }
  // Loaded only where there is a Redis: a gateway without one starts sooner.
  const { RedisRateLimiter } = await import('./redis-rate-limiter.ts');
  const limiter = new RedisRateLimiter({ ...redis, policies, clock });
  await limiter.connect(connectMs);
  await warmUp(limiter);
  const decide = (client: string) => limiter.decide(client);
  return {
    door: createRateLimitDoor({ policies, decide, failOpen: redis.failOpen, report }),
    close: () => {
      limiter.close();
    },
  };
}

/** On behalf of a client that nobody is. */
async function warmUp(limiter: RedisRateLimiter): Promise<void> {
  const { rounds, atOnce } = warmUpDecisions;
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: atOnce }, () => limiter.decide('warm-up')));
  }
}
