/**
 * Ledger: the file that says what was charged, one line of JSON per charge (NDJSON), append-only. A charge with an
 * Idempotency-Key has a claim before it.
 *
 * A line counts when its newline is there. The service puts a line into the kernel before it answers, so what a
 * dying process leaves behind is at most one torn line at the end, of a claim or a charge that nobody was told of.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { MachineError } from './machine-error.ts';

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

/** Says that a payment is about to be charged. One without a charge was cut short: a retry with its key may charge. */
export interface Claim {
  readonly kind: 'claim';
  readonly key: string;
  readonly orderId: string;
  readonly amountCents: number;
  /** `monotonicMs()` when the payment was claimed. */
  readonly atMs: number;
}

export type LedgerEntry = Charge | Claim;

export function isClaim(entry: LedgerEntry): entry is Claim {
  return 'kind' in entry;
}

export interface LedgerContents {
  readonly charges: Charge[];
  readonly claims: Claim[];
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

/** The line of an entry, newline included. */
export function ledgerLine(entry: LedgerEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Everything in the ledger. A file that does not exist is an empty ledger.
 *
 * @throws {MachineError} If it cannot be read, or a line before the end is damaged.
 */
export function readLedger(path: string): LedgerContents {
  const charges: Charge[] = [];
  const claims: Claim[] = [];
  const { torn } = scanLedger(path, (entry) => {
    if (isClaim(entry)) claims.push(entry);
    else charges.push(entry);
  });
  return { charges, claims, torn };
}

/**
 * Reads a ledger line by line, so that the service needs no more memory for a long ledger than for a short one.
 *
 * @param visit gets each entry and where its line begins, in bytes
 * @throws {MachineError} It names the path and the line, if a line before the end is no entry.
 */
export function scanLedger(path: string, visit: (entry: LedgerEntry, offset: number) => void): LedgerEnd {
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
        const entry = parseEntry(bytes.toString('utf8', begin, end));
        if (entry === undefined)
          throw new MachineError(`ledger ${path} is damaged: line ${line} is neither charge nor claim`);
        visit(entry, offset + begin);
        begin = end + 1;
      }
      offset += begin;
      rest = bytes.subarray(begin);
    }
  } finally {
    closeSync(file);
  }
}

/** An entry from its line, without the newline; undefined if the line is anything else. */
export function parseEntry(line: string): LedgerEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isEntry(value) ? value : undefined;
}

function isEntry(value: unknown): value is LedgerEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Partial<Record<keyof Charge | keyof Claim, unknown>>;
  return (
    (entry.kind === undefined
      ? typeof entry.paymentId === 'string' && (entry.key === undefined || typeof entry.key === 'string')
      : entry.kind === 'claim' && typeof entry.key === 'string') &&
    typeof entry.orderId === 'string' &&
    Number.isSafeInteger(entry.amountCents) &&
    Number(entry.amountCents) > 0 &&
    Number.isFinite(entry.atMs)
  );
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MachineError(`ledger ${path} cannot be read: ${(error as Error).message}`);
  }
}
