import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJunit } from './check-junit.ts';
import { sampleLimit, sampleRecord, worseRecord } from './check-record.test.kit.ts';

/** The attributes of the suite. */
function suite(text: string): Record<string, string> {
  const [tag = ''] = /<testsuite [^>]*>/.exec(text) ?? [];
  return Object.fromEntries(
    [...tag.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

describe('checkJunit', () => {
  test('has a case per metric and limit, of which worse and broken ones have failed', () => {
    const record = { ...worseRecord, limits: [sampleLimit({ verdict: 'broken', value: 412_000 })] };
    const text = checkJunit(record, false);
    expect(suite(text)).toMatchObject({
      tests: '6',
      failures: '2',
      errors: '0',
      skipped: '1',
      time: '228.4',
    });
    expect(text.match(/<testcase /g)).toHaveLength(6);
    expect(text).toMatch(
      /<testcase name="order response p50, ms" classname="wavetank.healthy" time="0"><failure message="order response p50 is 9.8 % [^"]*" type="worse">/,
    );
    expect(text).toContain(
      '<failure message="orders.responseUs.p95&lt;=300ms: 412 ms (median of 8 rounds)" type="broken">',
    );
  });

  test('skips what is inconclusive, and fails it when strict', () => {
    expect(checkJunit(worseRecord, false)).toContain(
      '<skipped message="inconclusive: order response p99 is ',
    );
    expect(checkJunit(worseRecord, true)).toContain('<failure message="inconclusive: order response p99 is ');
    expect(suite(checkJunit(worseRecord, true))).toMatchObject({ failures: '2', skipped: '0' });
  });

  test('has no failure in a check that found nothing', () => {
    expect(checkJunit(sampleRecord(), true)).not.toMatch(/<failure|<skipped/);
  });

  test('escapes whatever a record holds', () => {
    const shape = (text: string) => [...text.matchAll(/<[/?]?\w+/g)].join(' ');
    const withText = (text: string) =>
      checkJunit(
        sampleRecord({
          sides: { a: { label: text, commit: null }, b: { label: 'b', commit: null } },
          limits: [sampleLimit({ text, verdict: 'broken' })],
          warnings: [text],
          verdict: 'worse',
        }),
        false,
      );
    const plain = shape(withText('plain'));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const xml = withText(`]]></failure>"&${text}`);
        expect(shape(xml)).toBe(plain);
        expect(xml.replaceAll(/&(lt|gt|amp|quot);/g, '')).not.toContain('&');
      }),
    );
  });
});
