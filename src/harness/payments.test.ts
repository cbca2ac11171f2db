import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditPayments } from './payments.ts';

describe('auditPayments', () => {
  it('tells duplicates, phantoms and lost orders apart', () => {
    const payments = auditPayments({
      chargedOrderIds: ['o-1', 'o-2', 'o-2', 'o-3'],
      confirmedById: new Map([
        ['o-1', true],
        ['o-2', true],
        ['o-3', false],
        ['o-4', true],
        ['o-5', false],
      ]),
      tornLines: 1,
    });
    expect(payments).toEqual({ charged: 3, duplicates: 1, phantoms: 1, lost: 1, tornLines: 1 });
  });

  it('leaves orders outside the window alone', () => {
    const payments = auditPayments({
      chargedOrderIds: ['w-1', 'w-1'],
      confirmedById: new Map(),
      tornLines: 0,
    });
    expect(payments).toEqual({ charged: 0, duplicates: 0, phantoms: 0, lost: 0, tornLines: 0 });
  });

  it('keeps charged = confirmed + phantoms - lost whatever happens', () => {
    const orders = fc.array(fc.record({ charges: fc.nat(3), confirmed: fc.boolean() }));
    fc.assert(
      fc.property(orders, (all) => {
        const payments = auditPayments({
          chargedOrderIds: all.flatMap((order, index) => Array<string>(order.charges).fill(`o-${index}`)),
          confirmedById: new Map(all.map((order, index) => [`o-${index}`, order.confirmed])),
          tornLines: 0,
        });
        const confirmed = all.filter((order) => order.confirmed).length;
        expect(payments.charged).toBe(confirmed + payments.phantoms - payments.lost);
      }),
    );
  });
});
