/** Redis rate limiter: the limits of all gateways together, decided inside Redis, or not at all but soon. */
import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { rateLimitScript } from '../harness/rate-limit-script.ts';
import type { Clock, Millis } from '../patterns/clock.ts';
import { DeadlineQueue, type Waiting } from '../patterns/deadline-queue.ts';
import { type Linked, leaveLine } from '../patterns/fifo.ts';
import type { RateLimitPolicy } from '../patterns/rate-limit-policy.ts';
import {
  bucketQuota,
  decisionOf,
  type Quota,
  type RateDecision,
  windowQuota,
} from '../patterns/rate-limiter.ts';

export interface RedisRateLimiterOptions {
  readonly address: string;
  readonly policies: readonly RateLimitPolicy[];
  /** Gateways with the same one share their counts. */
  readonly keyPrefix: string;
  readonly clock: Clock;
  /** How long a decision is waited for. Default 15. */
  readonly patienceMs?: Millis | undefined;
}

/**
 * How long a decision is waited for. Five milliseconds less than the 20 in which it has to be there: a timer fires late.
 */
const patienceDefaultMs = 15;
/** Between two attempts to reach a Redis that is away. */
const reconnectMs = 100;
/** After that long without a word, in an attempt to connect or afterwards, a connection is given up. */
const silenceMaxMs = 1000;

interface ScriptedRedis extends Redis {
  rateLimit: (...keysAndArguments: string[]) => Promise<string[]>;
}

export class RedisRateLimiter {
  private readonly policies: readonly RateLimitPolicy[];
  private readonly policyArguments: readonly string[];
  private readonly keyPrefix: string;
  private readonly patienceMs: Millis;
  private readonly clock: Clock;
  private readonly redis: ScriptedRedis;
  private readonly waiting: DeadlineQueue<Wait>;
  /** What Redis's clock shows more than ours, at least; undefined while there is no connection to rely on. */
  private aheadMs: Millis | undefined = undefined;
  /** An answer is overdue. */
  private silent = false;
  private readonly firstConnected: Promise<void>;

  constructor({
    address,
    policies,
    keyPrefix,
    clock,
    patienceMs = patienceDefaultMs,
  }: RedisRateLimiterOptions) {
    this.policies = policies;
    this.policyArguments = policies.flatMap((policy) =>
      policy.kind === 'token-bucket'
        ? [policy.kind, String(policy.ratePerS), String(policy.burst)]
        : [policy.kind, String(policy.limit), String(policy.windowMs)],
    );
    this.keyPrefix = keyPrefix;
    this.patienceMs = patienceMs;
    this.clock = clock;
    this.waiting = new DeadlineQueue(clock, patienceMs, (wait) => {
      wait.expired = true;
      // When this thread itself was held up, the answer may lie in the socket, which is read before this is called.
      setImmediate(() => {
        this.giveUp(wait);
      });
    });
    this.redis = new Redis(address, {
      // What was not sent in time, or not answered, is never sent again: it has been decided without Redis.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => reconnectMs,
      connectTimeout: silenceMaxMs,
      commandTimeout: silenceMaxMs,
      // One that hangs does not close its end; it is not waited for.
      disconnectTimeout: 1,
      scripts: { rateLimit: { lua: rateLimitScript, numberOfKeys: policies.length } },
    }) as ScriptedRedis;
    // A Redis that is away shows in the decisions that it does not make.
    this.redis.on('error', () => undefined);
    this.redis.on('close', () => {
      this.aheadMs = undefined;
      this.silent = false;
    });
    this.firstConnected = new Promise((resolve) => {
      this.redis.on('ready', () => {
        // A Redis that has started anew does not know the script: told now, no request has to send it.
        Promise.all([this.redis.script('LOAD', rateLimitScript), this.redis.time()]).then(
          ([, [seconds, micros]]) => {
            this.compareClocks(Number(seconds) * 1000 + Number(micros) / 1000);
            resolve();
          },
          // Too slow, or not allowed: without that nobody can be asked, so that it is tried again from the start.
          () => {
            this.redis.disconnect(true);
          },
        );
      });
    });
  }

  /** Resolves when Redis can be asked, or after `limitMs` without it. */
  connect(limitMs: Millis): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(limitMs, resolve);
      void this.firstConnected.then(() => {
        cancel();
        resolve();
      });
    });
  }

  /** Whether Redis is asked. While it is away or silent it is not, so that nobody waits for it. */
  get available(): boolean {
    return this.redis.status === 'ready' && this.aheadMs !== undefined && !this.silent;
  }

  /**
   * Decides on a request of the client. Undefined, within 20 ms, where Redis hangs, refuses, fails or is away. A request
   * that Redis comes to after the wait is not counted; one whose answer is lost or late may have been. Never rejects.
   *
   * @param atMs The moment of the request; Redis's own time unless told otherwise.
   */
  async decide(client: string, atMs?: Millis): Promise<RateDecision | undefined> {
    if (!this.available) return undefined;
    const lastMs =
      atMs === undefined ? this.clock.now() + this.patienceMs + (this.aheadMs ?? 0) : Number.MAX_VALUE;
    // One hash tag for all keys of a client: a cluster keeps them together. Hashed: an API key is nobody's business.
    const tag = createHash('sha1').update(client).digest('base64url');
    const keys = this.policies.map((_, index) => `${this.keyPrefix}{${tag}}:${index}`);
    return new Promise((resolve) => {
      const wait = new Wait(resolve);
      this.waiting.add(wait);
      this.redis.rateLimit(...keys, String(atMs ?? ''), String(lastMs), ...this.policyArguments).then(
        (reply) => {
          this.silent = false;
          if (atMs === undefined && this.aheadMs !== undefined) this.compareClocks(Number(reply[1]));
          this.end(wait, this.decisionFrom(reply));
        },
        () => {
          // Silent for a second: that is no hiccup, and this connection may never speak again.
          if (wait.expired) this.reconnect();
          this.end(wait, undefined);
        },
      );
    });
  }

  close(): void {
    this.redis.disconnect();
  }

  private end(wait: Wait, decision: RateDecision | undefined): void {
    if (wait.ended) return;
    leaveLine(wait);
    wait.end(decision);
  }

  /** Nobody else waits for a Redis that is silent. What has been asked is asked; its answer ends the silence. */
  private giveUp(wait: Wait): void {
    if (wait.ended) return;
    wait.end(undefined);
    this.silent = true;
  }

  private reconnect(): void {
    if (this.aheadMs === undefined) return;
    this.aheadMs = undefined;
    this.redis.disconnect(true);
  }

  private decisionFrom([word, now = '', ...states]: string[]): RateDecision | undefined {
    const nowMs = Number(now);
    if (word === 'late') return undefined;
    const quotas = this.policies.map((policy, index): Quota => {
      const first = Number(states[2 * index]);
      return policy.kind === 'token-bucket'
        ? bucketQuota(first, policy.ratePerS, policy.burst)
        : windowQuota(first, Number(states[2 * index + 1]), nowMs, policy.limit, policy.windowMs);
    });
    return decisionOf(word === 'admitted', quotas);
  }

  /** Every answer took some time to come, so that the largest difference is the truest. */
  private compareClocks(redisMs: Millis): void {
    this.aheadMs = Math.max(this.aheadMs ?? -Infinity, redisMs - this.clock.now());
  }
}

/** Somebody who waits for a decision. */
class Wait implements Waiting {
  dueMs: Millis = 0;
  earlier: Linked | undefined = undefined;
  later: Linked | undefined = undefined;
  ended = false;
  expired = false;
  private readonly resolve: (decision: RateDecision | undefined) => void;

  constructor(resolve: (decision: RateDecision | undefined) => void) {
    this.resolve = resolve;
  }

  end(decision: RateDecision | undefined): void {
    this.ended = true;
    this.resolve(decision);
  }
}
