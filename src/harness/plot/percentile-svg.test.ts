import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleResult } from '../trial.test.kit.ts';
import { linesOf, stackResult, trialOf } from './plot.test.kit.ts';
import { percentileSvg, spread } from './percentile-svg.ts';

const hundred = Array.from({ length: 100 }, (_, index) => (index + 1) * 1000);

function texts(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
}

/** Every tag of the document, without what it holds. */
function tags(svg: string): string {
  return [...svg.matchAll(/<\/?([a-z]+)[^<>]*>/g)].map(([, name]) => name).join(' ');
}

describe('percentileSvg', () => {
  it('draws a line per stack that ends at 1 - 1 / count, and names it', () => {
    const result = sampleResult({ baseline: trialOf(hundred), breaker: trialOf([1000, 5000]) });
    const svg = percentileSvg(linesOf(result), null);
    const paths = [...svg.matchAll(/<path class="curve c\d" stroke-dasharray="[^"]+" d="M([^"]+)"/g)];
    const ends = paths.map(([, path = '']) => Number(path.split('L').at(-1)?.split(',')[0]));
    const ticks = [...svg.matchAll(/<text x="([\d.]+)"[^>]*>(0|90|99) %</g)].map(([, x]) => Number(x));
    expect(ends.length).toBe(2);
    const [zero = 0, , ninetyNine = 0] = ticks;
    // 100 values reach to 99 %; 2 to 50 %, which is log10(2) of the way to 90 %.
    expect(ends[0]).toBeCloseTo(ninetyNine, 0);
    expect(ends[1]).toBeCloseTo(zero + (Math.log10(2) * (ninetyNine - zero)) / 2, 0);
    expect(texts(svg).filter((text) => text === 'breaker').length).toBe(2);
  });

  it('has no tick beyond what the counts support', () => {
    const ticks = (count: number) =>
      texts(
        percentileSvg(linesOf(stackResult('a', [trialOf(new Array<number>(count).fill(500))])), null),
      ).filter((text) => /^[\d.]+ %$/.test(text));
    expect(ticks(100)).toEqual(['0 %', '90 %', '99 %']);
    expect(ticks(999)).toEqual(['0 %', '90 %', '99 %']);
    expect(ticks(10_000)).toEqual(['0 %', '90 %', '99 %', '99.9 %', '99.99 %']);
  });

  it('says where each stack crosses the SLA, in the picture, the table and the description', () => {
    const result = sampleResult({
      slow: trialOf([300_000, 300_000]),
      some: trialOf([1000, 1000, 1000, 300_000]),
      fast: trialOf([1000, 2000]),
    });
    const svg = percentileSvg(linesOf(result), 200_000);
    expect(svg.match(/class="ring c/g)?.length).toBe(1);
    expect(texts(svg)).toEqual(expect.arrayContaining(['SLA 200 ms', 'p0', 'p75', 'max']));
    expect(svg).toMatch(
      /<desc[^>]*>slow: .*some: p50 1.00 ms, max 300 ms, within 200 ms up to p75, 4 samples\./,
    );
  });

  it('gives no percentile that has too few samples', () => {
    const svg = percentileSvg(linesOf(stackResult('one', [trialOf([1000])])), null);
    expect(texts(svg).filter((text) => text === '-').length).toBe(3);
    expect(svg).toMatch(/<desc[^>]*>one: max 1.00 ms, 1 samples?\./);
  });

  it('says "no samples" instead of a blank chart', () => {
    const svg = percentileSvg(linesOf(stackResult('idle', [trialOf([])])), 200_000);
    expect(texts(svg)).toEqual(expect.arrayContaining(['No samples', 'idle, no samples']));
    expect(svg).not.toContain('NaN');
  });

  it('draws invalid trials and partial runs, and calls them so', () => {
    const result = { ...stackResult('breaker', [trialOf(hundred, { valid: false })]), complete: false };
    const svg = percentileSvg(linesOf(result), null);
    expect(texts(svg)).toEqual(expect.arrayContaining(['breaker, invalid trials, partial run', '0 of 1']));
    expect(svg).toContain('<path class="curve');
  });

  it('shows markup in a name as text', () => {
    const hostile = '</title><script>alert(1)</script><img src=x onerror="a&b">';
    const plain = percentileSvg(linesOf(stackResult('x'.repeat(hostile.length), [trialOf(hundred)])), 5000);
    const svg = percentileSvg(linesOf(stackResult(hostile, [trialOf(hundred)])), 5000);
    expect(tags(svg)).toBe(tags(plain));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const drawn = percentileSvg(linesOf(stackResult(name, [trialOf(hundred)])), 5000);
        expect(tags(drawn)).toBe(tags(plain));

        expect(drawn).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u);
      }),
      { numRuns: 30 },
    );
  });

  it('has a text alternative, both colour schemes, and nothing from elsewhere', () => {
    const svg = percentileSvg(linesOf(stackResult('breaker', [trialOf(hundred)])), null);
    expect(svg).toMatch(/role="img" aria-labelledby="title desc"/);
    expect(svg).toContain('<title id="title">Order response time by percentile</title>');
    expect(svg).toContain('@media(prefers-color-scheme:dark)');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|href|@import/);
  });
});

describe('spread', () => {
  it('keeps the gap between neighbours and their order, within the bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { maxLength: 20 }), (wanted) => {
        const places = spread(wanted, 15, 0, 300);
        const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
        for (const [rank, index] of order.entries()) {
          expect(places[index]).toBeGreaterThanOrEqual(rank * 15 - 1e-9);
          expect(places[index]).toBeLessThanOrEqual(300 - (order.length - 1 - rank) * 15 + 1e-9);
          if (rank > 0) {
            const before = places[order[rank - 1] as number] as number;
            expect((places[index] as number) - before).toBeGreaterThanOrEqual(15 - 1e-9);
          }
        }
      }),
    );
  });
});
