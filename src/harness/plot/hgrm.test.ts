import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistogram, decodeHistogram, encodeHistogram, highestUs, recordUs } from '../histogram.ts';
import { decodeHdr } from '../hdr-decoder.test.kit.ts';
import { hgrmText } from './hgrm.ts';

function histogramOf(values: readonly number[]) {
  const histogram = createHistogram();
  for (const value of values) recordUs(histogram, value);
  // As it comes from a file.
  return decodeHistogram(encodeHistogram(histogram));
}

/** The rows as the HdrHistogram project's plotter reads them, and the last one, which has no 1/(1-Percentile). */
function rowsOf(text: string): number[][] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/ +/).map(Number));
}

describe('hgrmText', () => {
  it('gives the percentiles of a sorted array, decoded by a reader of its own', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: highestUs }), { minLength: 1, maxLength: 300 }),
        (values) => {
          const histogram = histogramOf(values);
          const sorted = decodeHdr(encodeHistogram(histogram));
          expect(sorted.length).toBe(values.length);
          const rows = rowsOf(hgrmText(histogram));
          for (const [valueMs = 0, share = 0, count = 0] of rows) {
            const rank = Math.max(1, Math.ceil(share * sorted.length - 1e-6));
            expect(valueMs).toBeCloseTo((sorted[rank - 1] as number) / 1000, 3);
            expect(count).toBe(sorted.filter((value) => value / 1000 <= valueMs + 1e-4).length);
          }
          expect(rows.at(-1)?.slice(1)).toEqual([1, values.length]);
        },
      ),
    );
  });

  it('has the header and the footer that plotters expect', () => {
    const lines = hgrmText(histogramOf([1000, 2000, 3000])).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '       Value     Percentile TotalCount 1/(1-Percentile)',
      '',
      '       1.000 0.000000000000          1           1.00',
    ]);
    expect(lines.slice(-5)).toEqual([
      '#[Mean    =        2.000, StdDeviation   =        0.817]',
      '#[Max     =        3.001, Total count    =            3]',
      '#[Buckets =           17, SubBuckets     =         2048]',
      '#[wavetank: response times in ms]',
      '',
    ]);
  });

  it('says that an empty histogram has no samples', () => {
    const text = hgrmText(createHistogram());
    expect(rowsOf(text)).toEqual([]);
    expect(text).toContain('#[no samples]\n');
  });
});
