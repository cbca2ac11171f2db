/** Thread priority: those who measure go before what they measure, where the system allows it. */
import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/**
 * Makes the calling thread a real-time one: it sleeps nearly always, and when it wakes it must not wait for a slice of
 * somebody who computes (up to 10 ms on a kernel with a slow tick). Linux only, and only with the right to do it;
 * otherwise nothing happens. What then comes too late is seen in the lateness. Says whether it was possible.
 */
export function favourThisThread(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1) ?? '';
    execFileSync('chrt', ['--rr', '--pid', '1', thread], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
