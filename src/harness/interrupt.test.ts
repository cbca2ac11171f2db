import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { interruptSignal } from './interrupt.ts';

test('the first signal aborts with its name; the next of its kind is left to Node', () => {
  const command = new EventEmitter();
  const interrupt = interruptSignal(command as unknown as NodeJS.Process);
  expect(interrupt.aborted).toBe(false);
  command.emit('SIGTERM');
  expect([interrupt.aborted, interrupt.reason]).toEqual([true, 'SIGTERM']);
  expect(command.listenerCount('SIGTERM')).toBe(0);
  expect(command.listenerCount('SIGINT')).toBe(1);
});
