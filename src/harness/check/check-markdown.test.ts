import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkMarkdown, code, escaped } from './check-markdown.ts';
import { sampleRecord, worseRecord } from './check-record.test.kit.ts';

describe('checkMarkdown', () => {
  test('begins with the verdict', () => {
    const [heading, , sentence] = checkMarkdown(worseRecord).split('\n');
    expect(heading).toBe('### ❌ wavetank check: worse');
    expect(sentence).toBe(
      String.raw`Order response p50 is 9.8 % \[8.1 to 11.6\] slower than main (0.61 instead of 0.56 ms).`,
    );
  });

  test('has a table of metrics and one of limits, each row as wide as its head', () => {
    const tables = checkMarkdown(worseRecord)
      .split('\n\n')
      .filter((block) => block.startsWith('|'));
    expect(tables).toHaveLength(2);
    for (const table of tables) {
      const widths = table.split('\n').map((row) => row.split('|').length);
      expect(new Set(widths).size).toBe(1);
    }
    expect(tables[0]).toContain(
      String.raw`| order response p50, ms | 0.56 | 0.61 | +9.8 % \[8.1, 11.6\] | 3 % | ❌ worse | 5 |`,
    );
  });

  test('folds how it was measured away, and leaves warnings open', () => {
    const text = checkMarkdown(sampleRecord({ warnings: ['the tree is dirty'] }));
    expect(text.indexOf('the tree is dirty')).toBeLessThan(text.indexOf('<details>'));
    expect(text.indexOf('round 3: the canary')).toBeGreaterThan(text.indexOf('<details>'));
    expect(text).toContain('- to repeat: `npx wavetank check --against main`');
  });
});

test('in escaped text nothing is markup and nobody is mentioned', () => {
  expect(escaped('<b> & *a* | [x](y) @team `c`')).toBe(
    String.raw`\<b\> &amp; \*a\* \| \[x\](y) @${'\u200b'}team \`c\``,
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escaped(text)).not.toMatch(/(?<!\\)[<>|[\]*_`]|\n|@\w/);
    }),
  );
});

test('code ends where it should, whatever ticks are in it', () => {
  expect(code('main')).toBe('`main`');
  expect(code('a|b')).toBe(String.raw`\`a\|b\``.replaceAll('\\`', '`'));
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' ') }), (text) => {
      const [, fence = ''] = /^(`+)/.exec(code(text)) ?? [];
      // A fence of that length stands at both ends and nowhere between.
      const fences = [...code(text).matchAll(/`+/g)].filter(([ticks]) => ticks.length === fence.length);
      expect(fences.map(({ index }) => index)).toEqual([0, code(text).length - fence.length]);
    }),
  );
});
