import { afterEach, expect, it } from 'vitest';
import { Cancellation } from '../patterns/cancellation.ts';
import { SocketPool } from './socket-pool.ts';
import { userApp } from './user-app.ts';
import { createUserClient } from './user-client.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function find(id: string) {
  const app = userApp();
  cleanups.push(() => app.close());
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const pool = new SocketPool({ connectionsMax: 1, idleMax: 1 });
  cleanups.push(() => pool.close());
  return createUserClient({ origin, pool }).send({ id }, { method: 'GET', cancellation: new Cancellation() });
}

it('knows every user', async () => {
  expect(await find('42')).toEqual({
    ok: true,
    value: { id: '42', name: 'User 42', email: 'user-42@example.com' },
  });
});

it.each(['0', '1e3', '../healthz', '1234567890', 'é'])('does not take %j for an id', async (id) => {
  expect(await find(id)).toMatchObject({ ok: false, failure: { kind: 'http-4xx', status: 400 } });
});
