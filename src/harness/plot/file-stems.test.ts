import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileStems } from './file-stems.ts';

describe('fileStems', () => {
  it('keeps the names of stacks', () => {
    expect(fileStems(['baseline', 'retry-budget+breaker', 'retry @ cOySoP'])).toEqual([
      'baseline',
      'retry-budget+breaker',
      'retry@cOySoP',
    ]);
  });

  it('leads nowhere else, whatever a name holds', () => {
    expect(fileStems(['../../etc/passwd', '.hidden', '-rf', ''])).toEqual([
      '_._.._etc_passwd',
      '_hidden',
      '_rf',
      '_',
    ]);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (names) => {
        const stems = fileStems(names);
        for (const stem of stems) expect(stem).toMatch(/^[\w+@][\w+.@-]{0,90}$/);
        expect(new Set(stems.map((stem) => stem.toLowerCase())).size).toBe(names.length);
      }),
    );
  });

  it('numbers names that would meet', () => {
    expect(fileStems(['a/b', 'a:b', 'A_B'])).toEqual(['a_b', 'a_b-2', 'A_B-3']);
  });
});
