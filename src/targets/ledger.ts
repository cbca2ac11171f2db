/** Ledger of the payment service: appends claims and charges, and knows what became of every idempotency key it has seen. */
import { closeSync, ftruncateSync, openSync, readSync, truncateSync, writeSync } from 'node:fs';
import {
  type Charge,
  type Claim,
  isClaim,
  type LedgerEntry,
  ledgerLine,
  parseEntry,
  scanLedger,
} from '../harness/ledger.ts';

/** The system calls that append, so that a test can have a full disk. */
export interface LedgerFiles {
  write(file: number, bytes: Buffer, offset: number): number;
  truncate(file: number, length: number): void;
}

const realFiles: LedgerFiles = {
  write: (file, bytes, offset) => writeSync(file, bytes, offset),
  truncate: ftruncateSync,
};

/** Twice what the service's own limits on identifiers and keys can come to. */
const lineMaxBytes = 4096;
const newline = 0x0a;

/**
 * One ledger file, open for appending. Appends are synchronous: a charge is in the kernel before `append` returns, so
 * no death of the process can lose it, and at some 10 µs a line no thread pool would be faster. (`fsync` would protect
 * from a death of the machine, which is not what is studied here.)
 */
export class Ledger {
  /** Torn lines that were found at the end and cut off: 0 or 1. */
  readonly torn: number;
  private readonly file: number;
  private readonly files: LedgerFiles;
  /** Up to the end of the last whole line. */
  private bytes: number;
  /** Whether there may be part of a line behind that. */
  private dirty = false;
  private charges = 0;
  /** Where the last entry of each key begins, in bytes: the line itself stays on disk, because the heap is what is short here. */
  private readonly offsets = new Map<string, number>();

  /**
   * Reads what is there, cuts off a torn last line so that the next one is not glued to it, and opens for appending.
   *
   * @throws Error if the file cannot be opened, or is damaged before its end
   */
  constructor(path: string, files: LedgerFiles = realFiles) {
    this.files = files;
    const { wholeBytes, torn } = scanLedger(path, (entry, offset) => {
      if (!isClaim(entry)) this.charges++;
      if (entry.key !== undefined) this.offsets.set(entry.key, offset);
    });
    if (torn > 0) truncateSync(path, wholeBytes);
    this.torn = torn;
    this.bytes = wholeBytes;
    this.file = openSync(path, 'a+');
  }

  /** The charge that came with this key, or as long as there is none its claim. */
  find(key: string): LedgerEntry | undefined {
    const offset = this.offsets.get(key);
    if (offset === undefined) return undefined;
    const bytes = Buffer.alloc(Math.min(lineMaxBytes, this.bytes - offset));
    readSync(this.file, bytes, 0, bytes.length, offset);
    const entry = parseEntry(bytes.toString('utf8', 0, bytes.indexOf(newline)));
    if (entry?.key !== key) throw new Error(`ledger: the entry of key ${key} is no longer at byte ${offset}`);
    return entry;
  }

  /**
   * Writes down that a payment is about to be charged, so that whoever comes with its key knows.
   *
   * @throws as `append` does; then nothing is claimed
   */
  claim(claim: Omit<Claim, 'kind'>): void {
    this.write({ kind: 'claim', ...claim });
  }

  /**
   * Writes a charge down and returns it with its payment id.
   *
   * @throws the system's error if it cannot be written, for instance on a full disk: then nothing is charged and no
   * part of the line is left
   * @throws RangeError if the line would be longer than 4 KB
   */
  append(charge: Omit<Charge, 'paymentId'>): Charge {
    const written: Charge = { paymentId: `pay-${this.charges + 1}`, ...charge };
    this.write(written);
    this.charges++;
    return written;
  }

  close(): void {
    closeSync(this.file);
  }

  private write(entry: LedgerEntry): void {
    const line = Buffer.from(ledgerLine(entry));
    if (line.length > lineMaxBytes)
      throw new RangeError(`a ledger line of ${line.length} bytes: at most ${lineMaxBytes}`);
    try {
      // What an earlier failure could not take back has to go first.
      if (this.dirty) this.restore();
      for (let done = 0; done < line.length; ) done += this.files.write(this.file, line, done);
    } catch (error) {
      this.dirty = true;
      this.restore();
      throw error;
    }
    if (entry.key !== undefined) this.offsets.set(entry.key, this.bytes);
    this.bytes += line.length;
  }

  private restore(): void {
    this.files.truncate(this.file, this.bytes);
    this.dirty = false;
  }
}
