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

const never = new AbortController().signal;
const gateOf = (run: Run) => startGate(run as unknown as NodeJS.Process);

test('a run says that it is ready, and goes on at the word', async () => {
  const run = new Run();
  const begins = gateOf(run)?.(never);
  expect(run.said).toEqual([{ type: 'ready' }]);
  run.emit('message', { type: 'go' });
  await begins;
  expect(run.eventNames()).toEqual([]);
});

test('whoever lost the one that would say it begins', async () => {
  const run = new Run();
  const begins = gateOf(run)?.(never);
  run.emit('disconnect');
  await begins;
  expect(run.eventNames()).toEqual([]);
  run.connected = false;
  await gateOf(run)?.(never);
});

test('an interrupt ends the wait, and nothing holds the channel then', async () => {
  const run = new Run();
  const interrupt = new AbortController();
  const begins = gateOf(run)?.(interrupt.signal);
  run.emit('message', { type: 'something else' });
  expect(run.eventNames()).not.toEqual([]);
  interrupt.abort();
  await begins;
  expect(run.eventNames()).toEqual([]);
});

test('a run that nobody asked to wait has no gate', () => {
  expect(startGate({ env: {}, send: () => true } as unknown as NodeJS.Process)).toBeUndefined();
  const alone = { env: { [startGateVariable]: '1' } } as unknown as NodeJS.Process;
  expect(startGate(alone)).toBeUndefined();
});
