/** Redis check: whether a Redis server can be used, before anything depends on it. */
import { Redis } from 'ioredis';
import { UsageError } from '../patterns/usage-error.ts';
import { rateLimitScript } from './rate-limit-script.ts';
import { withoutPassword } from './redis-address.ts';

const patienceMs = 2000;

/** @throws {UsageError} One line, if nothing answers there, if it is no Redis, wants another password, or runs no scripts. */
export async function checkRedis(address: string): Promise<void> {
  const redis = new Redis(address, {
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
  });
  // Says more than the rejection of `connect`, which is "Connection is closed" for most reasons.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await redis.connect();
    await redis.time();
    const sha = (await redis.script('LOAD', rateLimitScript)) as string;
    // With no limits, and too late: it counts nothing.
    await redis.evalsha(sha, 0, '', '0');
  } catch (error) {
    throw new UsageError(`--redis ${withoutPassword(address)}: ${meaningOf(reason ?? (error as Error))}`);
  } finally {
    redis.disconnect();
  }
}

function meaningOf(error: Error & { code?: string }): string {
  const text = error.message.replaceAll(/\s+/g, ' ');
  if (text.includes('NOAUTH')) {
    return 'the server needs a password; allowed: redis://:PASSWORD@host:port or redis://USER:PASSWORD@host:port';
  }
  if (text.includes('WRONGPASS')) return 'the server does not accept this user and password';
  if (text.includes('NOPERM')) return `the server does not let this user run what rate limits need (${text})`;
  if (error.code === 'ECONNREFUSED') return 'nothing listens there (connection refused)';
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'there is no host of this name';
  if (/timed? ?out/i.test(text)) return `no answer within ${patienceMs / 1000} s`;
  return `not usable (${text})`;
}
