import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  type Charge,
  type Claim,
  isClaim,
  type LedgerEntry,
  ledgerLine,
  parseEntry,
  readLedger,
  scanLedger,
} from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'wavetank-ledger-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const path = join(folder, 'ledger.ndjson');

function charge(number: number, more: Partial<Charge> = {}): Charge {
  return { paymentId: `pay-${number}`, orderId: `o-${number}`, amountCents: 100, atMs: number, ...more };
}

const anyCharge: fc.Arbitrary<Charge> = fc.record(
  {
    paymentId: fc.string(),
    orderId: fc.string({ unit: 'grapheme', maxLength: 200 }),
    amountCents: fc.integer({ min: 1 }),
    key: fc.string({ unit: 'binary' }),
    atMs: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  },
  { requiredKeys: ['paymentId', 'orderId', 'amountCents', 'atMs'] },
);

const anyClaim: fc.Arbitrary<Claim> = fc.record({
  kind: fc.constant('claim' as const),
  key: fc.string({ unit: 'binary' }),
  orderId: fc.string(),
  amountCents: fc.integer({ min: 1 }),
  atMs: fc.nat(),
});

const anyEntry: fc.Arbitrary<LedgerEntry> = fc.oneof(anyCharge, anyClaim);

test('a ledger that does not exist is empty', () => {
  expect(readLedger(join(folder, 'none'))).toEqual({ charges: [], claims: [], torn: 0 });
});

test('what was written is read back, whatever its text and wherever the file is torn', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.nat(), (entries, cut) => {
      const lines = entries.map((each) => Buffer.from(ledgerLine(each)));
      const bytes = Buffer.concat(lines);
      const kept = bytes.length === 0 ? 0 : cut % (bytes.length + 1);
      writeFileSync(path, bytes.subarray(0, kept));
      let whole = 0;
      let end = 0;
      while (whole < lines.length && end + (lines[whole]?.length ?? 0) <= kept)
        end += lines[whole++]?.length ?? 0;
      const readable = entries.slice(0, whole);
      expect(readLedger(path)).toEqual({
        charges: readable.filter((entry) => !isClaim(entry)),
        claims: readable.filter(isClaim),
        torn: kept > end ? 1 : 0,
      });
    }),
  );
});

test('a ledger longer than what is read at once is read whole, with the place of each line', () => {
  const charges = Array.from({ length: 3000 }, (_, index) => charge(index, { key: `key ü ${index}` }));
  const lines = charges.map((each) => ledgerLine(each));
  writeFileSync(path, lines.join(''));
  const offsets: number[] = [];
  const end = scanLedger(path, (_, offset) => offsets.push(offset));
  let at = 0;
  expect(offsets).toEqual(lines.map((line) => (at += Buffer.byteLength(line)) - Buffer.byteLength(line)));
  expect(end).toEqual({ wholeBytes: at, torn: 0 });
  expect(readLedger(path).charges).toEqual(charges);
});

test('a last line without its newline does not count, even if it could be read', () => {
  writeFileSync(path, ledgerLine(charge(1)) + ledgerLine(charge(2)));
  truncateSync(path, Buffer.byteLength(ledgerLine(charge(1)) + ledgerLine(charge(2))) - 1);
  expect(readLedger(path)).toEqual({ charges: [charge(1)], claims: [], torn: 1 });
});

test('damage before the end is an error of one line that names the file and the line', () => {
  writeFileSync(path, `${ledgerLine(charge(1))}{"paymentId":"pay-2"}\n${ledgerLine(charge(3))}`);
  expect(() => readLedger(path)).toThrow(`ledger ${path} is damaged: line 2 is neither charge nor claim`);
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['null', 'null'],
  ['no amount', '{"paymentId":"p","orderId":"o","atMs":1}'],
  ['an amount of 0', '{"paymentId":"p","orderId":"o","amountCents":0,"atMs":1}'],
  ['a fraction of a cent', '{"paymentId":"p","orderId":"o","amountCents":1.5,"atMs":1}'],
  ['a key that is no text', '{"paymentId":"p","orderId":"o","amountCents":1,"atMs":1,"key":7}'],
  ['no time', '{"paymentId":"p","orderId":"o","amountCents":1}'],
  ['neither payment id nor kind', '{"orderId":"o","amountCents":1,"atMs":1}'],
  ['a claim without a key', '{"kind":"claim","orderId":"o","amountCents":1,"atMs":1}'],
  ['an unknown kind', '{"kind":"refund","key":"k","orderId":"o","amountCents":1,"atMs":1}'],
])('a line with %s is no entry', (_, line) => {
  expect(parseEntry(line)).toBeUndefined();
});
