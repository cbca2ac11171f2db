import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../patterns/usage-error.ts';
import { RedisServer, skipWithoutRedis } from './redis.test.kit.ts';
import { checkRedis } from './redis-check.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function refusal(address: string): Promise<string> {
  const error: unknown = await checkRedis(address).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}

/** A server that is no Redis: answers each connection with the text, and each line with it too. */
async function portOf(answer: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe('checkRedis', () => {
  it('says that nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await refusal(`redis://127.0.0.1:${port}`)).toBe(
      `--redis redis://127.0.0.1:${port}: nothing listens there (connection refused)`,
    );
  });

  it('says in one line that something else than Redis answers', async () => {
    const port = await portOf('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await refusal(`redis://127.0.0.1:${port}`)).toMatch(/^--redis redis:\/\/\S+: not usable \(.+\)$/);
  });

  it('does not wait for ever for one that is silent', async () => {
    expect(await refusal(`redis://127.0.0.1:${await portOf('')}`)).toMatch(/no answer within 2 s$/);
  });
});

describe.skipIf(skipWithoutRedis)('checkRedis, on a redis-server', () => {
  async function start(...options: string[]): Promise<RedisServer> {
    const server = await RedisServer.start(...options);
    cleanups.push(() => server.kill());
    return server;
  }

  it('is content with one that answers', async () => {
    await expect(checkRedis((await start()).address)).resolves.toBeUndefined();
  });

  it('says that a password is needed, or wrong, without showing it, and takes the right one', async () => {
    const { port } = await start('--requirepass', 'right');
    expect(await refusal(`redis://127.0.0.1:${port}`)).toContain(
      'needs a password; allowed: redis://:PASSWORD@',
    );
    const wrong = await refusal(`redis://:wr0ng@127.0.0.1:${port}`);
    expect(wrong).toContain('does not accept this user and password');
    expect(wrong).not.toContain('wr0ng');
    await expect(checkRedis(`redis://:right@127.0.0.1:${port}`)).resolves.toBeUndefined();
  });

  it.each([
    ['-@scripting', 'script'],
    ['-evalsha', 'evalsha'],
  ])('says that a user with %s may run no scripts', async (rule, command) => {
    const { port } = await start('--user', 'meek', 'on', '>right', '~*', '+@all', rule);
    const address = `redis://meek:right@127.0.0.1:${port}`;
    const line = await refusal(address);
    expect(line).toContain('does not let this user run what rate limits need (NOPERM ');
    expect(line).toContain(`'${command}`);
    expect(line).not.toMatch(/right|\n/);
  });
});
