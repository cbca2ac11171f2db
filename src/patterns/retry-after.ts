/** Retry-After: how long a server asks its client to wait (RFC 9110, 10.2.3). */
import type { Millis } from './clock.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT`: the one form of a date that a server may send (RFC 9110, 5.6.7). */
const imfFixdate = new RegExp(
  `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d{2}) (${months.join('|')}) (\\d{4}) (\\d{2}):(\\d{2}):(\\d{2}) GMT$`,
);

/**
 * The wait that a `Retry-After` header asks for, in ms, 0 for a date that has passed; undefined for nonsense.
 *
 * @param value `delta-seconds` (`120`) or an IMF-fixdate.
 * @param nowEpochMs Wall-clock time, as of `Date.now()`: a date can be compared with nothing else.
 */
export function parseRetryAfter(value: string, nowEpochMs: number): Millis | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) {
    const waitMs = Number(text) * 1000;
    return Number.isFinite(waitMs) ? waitMs : undefined;
  }
  const [, day, month, year, hour, minute, second] = imfFixdate.exec(text) ?? [];
  if (month === undefined) return undefined;
  const parts = [year, months.indexOf(month), day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
  ];
  const epochMs = Date.UTC(...parts);
  // `Date.UTC` turns the 31st of February into a day in March.
  if (new Date(epochMs).getUTCDate() !== Number(day)) return undefined;
  return Math.max(0, epochMs - nowEpochMs);
}
