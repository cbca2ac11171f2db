/** Units: values on the command line, as people write them. Each parser names what is allowed when it refuses. */
import bytes from 'bytes';
import ms from 'ms';
import { UsageError } from '../patterns/usage-error.ts';

/** What `MB` means on the command line and in texts. */
export const mebibyte = 1024 * 1024;

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** `500ms`, `20s`, `1.5m`, `1h`; a bare `0` needs no unit. Returns ms. */
export function parseDurationMs(text: string, range: Range): number {
  const value = /^(\d+(\.\d+)?(ms|s|m|h)|0)$/.test(text) ? ms(text as ms.StringValue) : Number.NaN;
  return within(
    value,
    range,
    `a duration from ${ms(range.min)} to ${ms(range.max)}, such as 500ms, 20s or 2m`,
  );
}

/** `512B`, `64KB`, `1.5MB`, in powers of 1024; a bare `0` needs no unit. Returns bytes. */
export function parseBytes(text: string, range: Range): number {
  const value = /^(\d+(\.\d+)?(B|KB|MB|GB)|0)$/i.test(text) ? (bytes.parse(text) ?? Number.NaN) : Number.NaN;
  return within(
    value,
    range,
    `a size from ${sizeText(range.min)} to ${sizeText(range.max)}, such as 64KB or 1.5MB`,
  );
}

/** A number, whole unless said otherwise. */
export function parseNumber(text: string, range: Range, fraction = false): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const kind = fraction ? 'a number' : 'a whole number';
  return within(
    fraction || Number.isSafeInteger(value) ? value : Number.NaN,
    range,
    `${kind} from ${range.min} to ${range.max}`,
  );
}

/** Bytes as a person reads them: `64 MB`. */
export function sizeText(value: number): string {
  return bytes.format(value, { unitSeparator: ' ', decimalPlaces: 1 }) ?? `${value} B`;
}

function within(value: number, range: Range, allowed: string): number {
  if (value >= range.min && value <= range.max) return value;
  throw new UsageError(`allowed: ${allowed}`);
}
