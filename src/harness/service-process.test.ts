import { expect, test } from 'vitest';
import { errorLine } from './service-process.ts';

test('of a failed start the line that names an error is shown, whatever surrounds it', () => {
  const stderr =
    '\n<--- Last few GCs --->\n[7:0x1] 20 ms: Scavenge\nFATAL ERROR: heap out of memory\n 1: 0xb5 node::Abort()\n';
  expect(errorLine({ code: null, signal: 'SIGABRT', stderr })).toBe(
    'SIGABRT: FATAL ERROR: heap out of memory',
  );
});

test('without such a line it is the last one, and without any line that is said', () => {
  expect(errorLine({ code: 9, signal: null, stderr: 'one\ntwo\n\n' })).toBe('exit code 9: two');
  expect(errorLine({ code: 0, signal: null, stderr: '' })).toBe('exit code 0: it said nothing on stderr');
});
