import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { startGate, startGateVariable } from './start-gate.ts';

/** A run's own process, as far as the gate knows it. */
class Run extends EventEmitter {
  readonly said: unknown[] = [];
  readonly env = { [startGateVariable]: '1' };
  connected = true;
  send(message: unknown): void {
    this.said.push(message);
  }
}

const gateOf = (run: Run) => startGate(run as unknown as NodeJS.Process);

test('a run says that it is ready, and goes on at the word', async () => {
  const run = new Run();
  const begins = gateOf(run)?.();
  expect(run.said).toEqual([{ type: 'ready' }]);
  run.emit('message', { type: 'go' });
  await begins;
  expect(run.eventNames()).toEqual([]);
});

test('whoever lost the one that would say it begins', async () => {
  const run = new Run();
  const begins = gateOf(run)?.();
  run.emit('disconnect');
  await begins;
  expect(run.eventNames()).toEqual([]);
  run.connected = false;
  await gateOf(run)?.();
});

test('a run that nobody asked to wait has no gate', () => {
  expect(startGate({ env: {}, send: () => true } as unknown as NodeJS.Process)).toBeUndefined();
  const alone = { env: { [startGateVariable]: '1' } } as unknown as NodeJS.Process;
  expect(startGate(alone)).toBeUndefined();
});
