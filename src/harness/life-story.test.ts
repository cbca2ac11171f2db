import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  downMs,
  type ExitRecord,
  exitReason,
  exitReasons,
  isDeath,
  shownCode,
  type StartRecord,
} from './life-story.ts';

function start(pid: number, atMs: number): StartRecord {
  return { pid, atMs, spawnedAtMs: atMs - 1 };
}

function exit(pid: number, atMs: number): ExitRecord {
  return {
    pid,
    atMs,
    code: null,
    signal: 'SIGABRT',
    shownCode: 134,
    reason: 'out-of-memory',
    rssBytes: null,
    uptimeMs: 0,
  };
}

const story = { starts: [start(1, 100), start(3, 500)], exits: [exit(1, 300), exit(2, 400), exit(3, 900)] };

test('the time between a death and the next readiness is down time, failed starts included', () => {
  expect(downMs(story, 100, 900)).toBe(200);
});

test('only down time inside the asked window counts', () => {
  expect(downMs(story, 350, 450)).toBe(100);
  expect(downMs(story, 150, 350)).toBe(50);
  expect(downMs(story, 150, 250)).toBe(0);
});

test('before the first start and after the last death the service is down', () => {
  expect(downMs(story, 0, 1000)).toBe(100 + 200 + 100);
});

test('a service that lives on is up to the end of the window', () => {
  expect(downMs({ starts: [start(1, 100)], exits: [] }, 100, 5000)).toBe(0);
});

test('a pid that the system used again belongs to the later start', () => {
  expect(downMs({ starts: [start(1, 0), start(1, 50)], exits: [exit(1, 20), exit(1, 80)] }, 0, 100)).toBe(50);
});

test('down time equals what a look at every millisecond gives', () => {
  const lives = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 })), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(lives, fc.nat(200), fc.nat(200), (gaps, from, length) => {
      const starts: StartRecord[] = [];
      const exits: ExitRecord[] = [];
      const up = new Set<number>();
      let now = 0;
      for (const [pid, [down, alive]] of gaps.entries()) {
        starts.push(start(pid, (now += down)));
        for (let ms = now; ms < now + alive; ms++) up.add(ms);
        exits.push(exit(pid, (now += alive)));
      }
      let expected = 0;
      for (let ms = from; ms < from + length; ms++) if (!up.has(ms)) expected++;
      expect(downMs({ starts, exits }, from, from + length)).toBe(expected);
    }),
  );
});

test('the shown code is the one that a container would show', () => {
  expect([shownCode(null, 'SIGKILL'), shownCode(null, 'SIGABRT'), shownCode(3, null)]).toEqual([137, 134, 3]);
});

test('an abort is out of memory only if V8 said so', () => {
  const end = { signal: 'SIGABRT', stopping: false, killedAtLimit: false, killedByFault: false };
  const v8 = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n';
  expect(exitReason({ ...end, stderr: v8 })).toBe('out-of-memory');
  expect(exitReason({ ...end, stderr: 'Assertion failed\n' })).toBe('crashed');
  expect(exitReason({ ...end, signal: null, stderr: v8 })).toBe('crashed');
});

test('a kill at the limit and a stop are told from a crash', () => {
  const end = { signal: 'SIGKILL', stderr: '', killedByFault: false };
  expect(exitReason({ ...end, stopping: false, killedAtLimit: true })).toBe('memory-limit');
  expect(exitReason({ ...end, stopping: true, killedAtLimit: false })).toBe('stopped');
  expect(exitReason({ ...end, stopping: false, killedAtLimit: false })).toBe('crashed');
  const target = { ...end, killedByFault: true, killedAtLimit: false };
  expect(exitReason({ ...target, stopping: false })).toBe('killed');
  expect(exitReason({ ...target, stopping: true })).toBe('stopped');
  expect(exitReason({ ...target, signal: 'SIGSEGV', stopping: false })).toBe('crashed');
});

test('every end is a death but one that was asked for', () => {
  expect(exitReasons.filter((reason) => !isDeath(reason))).toEqual(['stopped']);
});
