/**
 * Ledger: the file that says what was charged, one line of JSON per charge (NDJSON), append-only.
 *
 * A line counts when its newline is there. The service puts a line into the kernel before it answers, so what a
 * dying process leaves behind is at most one torn line at the end, of a charge that nobody was told of.
 */
import { closeSync, openSync, readSync } from 'node:fs';

export interface Charge {
  readonly paymentId: string;
  readonly orderId: string;
  /** A whole number, more than 0. */
  readonly amountCents: number;
  /** The Idempotency-Key it came with. */
  readonly key?: string;
  /** `monotonicMs()` when it was charged. */
  readonly atMs: number;
}

export interface LedgerContents {
  readonly charges: Charge[];
  /** Torn lines at the end that were dropped: 0 or 1. */
  readonly torn: number;
}

/** Where whole lines end, and what came after the last of them. */
export interface LedgerEnd {
  /** Bytes up to and including the last newline. */
  readonly wholeBytes: number;
  /** 1 if there is a torn line behind it. */
  readonly torn: number;
}

const newline = 0x0a;

/** The line of a charge, newline included. */
export function ledgerLine(charge: Charge): string {
  return `${JSON.stringify(charge)}\n`;
}

/** Every charge in the ledger. A file that does not exist is an empty ledger; a damaged line before the end throws. */
export function readLedger(path: string): LedgerContents {
  const charges: Charge[] = [];
  const { torn } = scanLedger(path, (charge) => charges.push(charge));
  return { charges, torn };
}

/**
 * Reads a ledger charge by charge, so that the service needs no more memory for a long ledger than for a short one.
 *
 * @param visit gets each charge and where its line begins, in bytes
 * @throws Error that names the path and the line, if a line before the end is no charge
 */
export function scanLedger(path: string, visit: (charge: Charge, offset: number) => void): LedgerEnd {
  const file = openExisting(path);
  if (file === undefined) return { wholeBytes: 0, torn: 0 };
  try {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    let rest = Buffer.alloc(0);
    let offset = 0;
    let line = 0;
    for (;;) {
      const length = readSync(file, chunk, 0, chunk.length, offset + rest.length);
      if (length === 0) return { wholeBytes: offset, torn: rest.length > 0 ? 1 : 0 };
      const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      let begin = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, begin)) {
        line++;
        const charge = parseCharge(bytes.toString('utf8', begin, end));
        if (charge === undefined) throw new Error(`ledger ${path} is damaged: line ${line} is not a charge`);
        visit(charge, offset + begin);
        begin = end + 1;
      }
      offset += begin;
      rest = bytes.subarray(begin);
    }
  } finally {
    closeSync(file);
  }
}

/** A charge from its line, without the newline; undefined if the line is anything else. */
export function parseCharge(line: string): Charge | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isCharge(value) ? value : undefined;
}

function isCharge(value: unknown): value is Charge {
  if (typeof value !== 'object' || value === null) return false;
  const charge = value as Partial<Record<keyof Charge, unknown>>;
  return (
    typeof charge.paymentId === 'string' &&
    typeof charge.orderId === 'string' &&
    Number.isSafeInteger(charge.amountCents) &&
    Number(charge.amountCents) > 0 &&
    (charge.key === undefined || typeof charge.key === 'string') &&
    Number.isFinite(charge.atMs)
  );
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
