import { expect, it } from 'vitest';
import { warmUp } from './gateway-warm-up.ts';

it('leaves nothing open', async () => {
  const open = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'));
  const before = open();
  await warmUp(20);
  await expect.poll(open).toEqual(before);
});
