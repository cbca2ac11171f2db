import { describe, expect, it } from 'vitest';
import { invalidReasons, type TrialEvidence } from './validity.ts';

const sound: TrialEvidence = {
  planned: 1000,
  sent: 1000,
  latenessP99Us: 200,
  canaryDelayP99Us: 200,
  generatorDelayP99Us: 300,
  confirmed: 900,
  isExternal: false,
  deaths: 3,
  crashes: 0,
  lost: 0,
  ledgerError: null,
  ownFaults: [],
  clamped: 0,
};

describe('invalidReasons', () => {
  it('finds nothing wrong with a sound trial', () => {
    expect(invalidReasons(sound)).toEqual([]);
  });

  it.each<[string, Partial<TrialEvidence>, RegExp]>([
    ['the load was not offered', { sent: 980 }, /980 of 1000/],
    ['requests were late', { latenessP99Us: 10_001 }, /lateness/],
    ['the host was disturbed', { canaryDelayP99Us: 20_000 }, /canary.* 20 ms/],
    ['the generator was held up', { generatorDelayP99Us: 20_000 }, /generator/],
    ['nothing was measured', { latenessP99Us: null }, /too few samples/],
    [
      'nothing ever worked',
      { confirmed: 0 },
      /no order was confirmed: the system never worked in the window$/,
    ],
    ['a service of somebody else is not understood', { confirmed: 0, isExternal: true }, /a text paymentId$/],
    ['the service lived', { deaths: 0 }, /did not die/],
    ['the service crashed', { crashes: 1 }, /another reason than its target/],
    ['a response took longer than a histogram reaches', { clamped: 2 }, /2 response times were beyond/],
    [
      'the disk was full',
      { ledgerError: 'ENOSPC: no space' },
      /ledger could not be written \(ENOSPC: no space\)/,
    ],
    ["the user's module misbehaved", { ownFaults: ['./mine.ts threw in 3 calls'] }, /mine\.ts threw in 3/],
    ['the ledger misses an order', { lost: 1 }, /1 confirmed orders are missing/],
  ])('says so when %s', (_when, change, reason) => {
    const reasons = invalidReasons({ ...sound, ...change });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(reason);
  });

  it('asks for no death of a service that is not meant to die, and plans nothing in a closed loop', () => {
    expect(invalidReasons({ ...sound, planned: null, sent: 10, deaths: null })).toEqual([]);
  });

  it('asks for no confirmed order of a target that may fail them all', () => {
    expect(invalidReasons({ ...sound, confirmed: null })).toEqual([]);
  });
});
