import { expect, it } from 'vitest';
import { startUserService } from './user-service-process.ts';

it('answers until it is stopped, and that is no loss', async () => {
  const lost: Error[] = [];
  const service = await startUserService((error) => lost.push(error));
  const url = `http://${service.host}:${service.port}/users/7`;
  expect(await (await fetch(url)).json()).toMatchObject({ id: '7' });
  await service.stop();
  await expect(fetch(url)).rejects.toThrow();
  await service.stop();
  expect(lost).toEqual([]);
});
