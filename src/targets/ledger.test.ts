import {
  appendFileSync,
  ftruncateSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Claim, readLedger } from '../harness/ledger.ts';
import { Ledger, type LedgerFiles } from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'wavetank-ledger-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const path = join(folder, 'ledger.ndjson');
beforeEach(() => {
  rmSync(path, { force: true });
});

function order(number: number, key?: string) {
  return { orderId: `o-${number}`, amountCents: number, atMs: number, ...(key === undefined ? {} : { key }) };
}

/** A disk that has room for so many bytes more. */
function disk(room: number): LedgerFiles & { room: number; canTruncate: boolean } {
  return {
    room,
    canTruncate: true,
    write(file, bytes, offset) {
      if (this.room === 0)
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const written = writeSync(file, bytes, offset, Math.min(this.room, bytes.length - offset));
      this.room -= written;
      return written;
    },
    truncate(file, length) {
      if (!this.canTruncate) throw new Error('EIO');
      ftruncateSync(file, length);
    },
  };
}

test('a charge is in the file when append returns', () => {
  const ledger = new Ledger(path);
  const charge = ledger.append(order(1, 'key-1'));
  expect(readLedger(path).charges).toEqual([charge]);
  ledger.close();
});

test('after a restart keys are known and payment ids go on', () => {
  const before = new Ledger(path);
  const first = before.append(order(1, 'key-ü'));
  before.append(order(2));
  before.close();
  const after = new Ledger(path);
  expect(after.find('key-ü')).toEqual(first);
  expect(after.find('key-2')).toBeUndefined();
  expect(after.append(order(3)).paymentId).toBe('pay-3');
  after.close();
});

test('a key is claimed until it is charged, after a restart too', () => {
  const before = new Ledger(path);
  before.claim(order(1, 'key-1') as Omit<Claim, 'kind'>);
  before.claim(order(2, 'key-2') as Omit<Claim, 'kind'>);
  const charge = before.append(order(2, 'key-2'));
  const claim = { kind: 'claim', ...order(1, 'key-1') };
  expect([before.find('key-1'), before.find('key-2')]).toEqual([claim, charge]);
  before.close();
  const after = new Ledger(path);
  expect([after.find('key-1'), after.find('key-2')]).toEqual([claim, charge]);
  expect(after.append(order(1, 'key-1')).paymentId).toBe('pay-2');
  after.close();
});

test('a torn last line is cut off and the next charge is not glued to it', () => {
  const before = new Ledger(path);
  const first = before.append(order(1));
  before.close();
  appendFileSync(path, '{"paymentId":"pay-2","ord');
  const after = new Ledger(path);
  expect(after.torn).toBe(1);
  const second = after.append(order(2));
  expect(readLedger(path)).toEqual({ charges: [first, second], claims: [], torn: 0 });
  expect(second.paymentId).toBe('pay-2');
  after.close();
});

test('a ledger that is damaged before its end is not opened', () => {
  writeFileSync(path, 'what?\n');
  expect(() => new Ledger(path)).toThrow(/is damaged: line 1 is neither charge nor claim$/);
});

test('a charge that does not fit on the disk leaves no trace', () => {
  const files = disk(1_000_000);
  const ledger = new Ledger(path, files);
  const first = ledger.append(order(1));
  files.room = 20;
  expect(() => ledger.append(order(2, 'key-2'))).toThrow('ENOSPC');
  expect(readLedger(path)).toEqual({ charges: [first], claims: [], torn: 0 });
  expect(ledger.find('key-2')).toBeUndefined();
  files.room = 1_000_000;
  const second = ledger.append(order(2, 'key-2'));
  expect(readLedger(path).charges).toEqual([first, second]);
  expect(ledger.find('key-2')).toEqual(second);
  ledger.close();
});

test('half a line that could not be taken back is taken back before the next charge, or there is none', () => {
  const files = disk(20);
  const ledger = new Ledger(path, files);
  files.canTruncate = false;
  expect(() => ledger.append(order(1))).toThrow();
  expect(readLedger(path)).toEqual({ charges: [], claims: [], torn: 1 });
  files.room = 1_000_000;
  expect(() => ledger.append(order(2))).toThrow();
  files.canTruncate = true;
  const charge = ledger.append(order(3));
  expect(readLedger(path)).toEqual({ charges: [charge], claims: [], torn: 0 });
  ledger.close();
});

test('a line that could not be found again is not written', () => {
  const ledger = new Ledger(path);
  expect(() => ledger.append({ ...order(1), orderId: 'x'.repeat(5000) })).toThrow(RangeError);
  expect(readFileSync(path, 'utf8')).toBe('');
  ledger.close();
});

test('whatever is charged, whenever the disk is full or the service restarts, the file holds what append returned', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('charge'),
        key: fc.nat(5),
        room: fc.integer({ min: 0, max: 300 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('restart'), key: fc.constant(0), room: fc.constant(0) }),
    },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      rmSync(path, { force: true });
      const files = disk(0);
      let ledger = new Ledger(path, files);
      const returned = [];
      const byKey = new Map<string, unknown>();
      for (const { kind, key, room } of steps) {
        if (kind === 'restart') {
          ledger.close();
          ledger = new Ledger(path, files);
          continue;
        }
        const name = `key-${key}`;
        expect(ledger.find(name)).toEqual(byKey.get(name));
        if (byKey.has(name)) continue;
        files.room = room;
        try {
          const charge = ledger.append(order(1, name));
          returned.push(charge);
          byKey.set(name, charge);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ENOSPC' });
        }
      }
      ledger.close();
      expect(readLedger(path)).toEqual({ charges: returned, claims: [], torn: 0 });
    }),
  );
});
