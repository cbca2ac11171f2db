import { describe, expect, it } from 'vitest';
import { checkOf } from './history.test.kit.ts';
import { historySvg } from './history-svg.ts';

function texts(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
}

/** The marks of the panels, without those of the legend. */
function marks(svg: string): { verdict: string; hollow: boolean; scaled: boolean }[] {
  const panels = svg.slice(svg.indexOf('<clipPath'));
  return [...panels.matchAll(/<use href="#(\w+)" class="(\w+) c\d" transform="([^"]*)"/g)].map(
    ([, verdict = '', look, transform]) => ({
      verdict,
      hollow: look === 'ring',
      scaled: transform?.includes('scale') ?? false,
    }),
  );
}

const worse = { verdict: 'worse', change: { value: 0.8, low: 0.75, high: 0.85 } } as const;

describe('historySvg', () => {
  it('has a panel per metric, named, with what the newest check says', () => {
    const svg = historySvg([
      checkOf(1, { goodput: {}, timeToOpen: {} }),
      checkOf(2, { goodput: worse, timeToOpen: {} }),
    ]);
    expect(svg.match(/<clipPath/g)).toHaveLength(2);
    expect(texts(svg)).toEqual(
      expect.arrayContaining(['goodput', '-20.0 % [-25.0, -15.0], worse', 'outage to breaker open, ms']),
    );
  });

  it('tells verdicts by shape as well as by colour', () => {
    const svg = historySvg([
      checkOf(1, { goodput: {} }),
      checkOf(2, { goodput: { verdict: 'better' } }),
      checkOf(3, { goodput: { verdict: 'inconclusive' } }),
      checkOf(4, { goodput: worse }),
    ]);
    expect(marks(svg).map(({ verdict }) => verdict)).toEqual(['same', 'inconclusive', 'better', 'worse']);
    const shapes = [...svg.matchAll(/<path id="\w+" d="([^"]+)"/g)].map(([, d]) => d);
    expect(new Set(shapes).size).toBe(4);
    const colours = [...svg.matchAll(/<use href="#\w+" class="mark (c\d)"/g)].map(([, colour]) => colour);
    expect(new Set(colours).size).toBe(4);
  });

  it('breaks the line where the host changes, and draws other hosts than the newest hollow', () => {
    const hosts = ['old', 'old', 'new', 'new', 'new'];
    const svg = historySvg(hosts.map((cpu, index) => checkOf(index + 1, { goodput: {} }, cpu)));
    expect(marks(svg).map(({ hollow }) => hollow)).toEqual([true, true, false, false, false]);
    expect(svg.match(/<path class="curve c7"[^>]*stroke-opacity=".6"/g)).toHaveLength(2);
    expect(svg.match(/stroke-dasharray="2 3"/g)).toHaveLength(1);
    expect(texts(svg)).toContain('hollow: another host than the newest');
    expect(texts(historySvg([checkOf(1, { goodput: {} })]))).not.toContain(
      'hollow: another host than the newest',
    );
  });

  it('draws crowded marks smaller, but keeps those that are worse large, and says which check they were', () => {
    const checks = Array.from({ length: 300 }, (_, index) => ({
      ...checkOf(1, { goodput: index === 150 ? worse : {} }),
      startedAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    }));
    const svg = historySvg(checks);
    expect(svg).toContain('scale(0.4)');
    expect(svg).toMatch(
      /<use href="#worse"[^>]*scale\(0\.8\)"><title>2026-05-31 00:00: -20\.0 % [^<]*456789abcdef[^<]*<\/title>/,
    );
    expect(texts(svg).filter((text) => /^\d{4}-\d\d-\d\d$/.test(text))).toHaveLength(4);
  });

  it('draws one check in the middle, with the time of the day', () => {
    const svg = historySvg([checkOf(1, { goodput: {} })]);
    expect(texts(svg)).toContain('01-01 12:00');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('shortens a long name, and shows markup in it as text', () => {
    const svg = historySvg([checkOf(1, { goodput: { name: `<b>&${'long '.repeat(30)}` } })]);
    expect(texts(svg).some((text) => text.startsWith('&lt;b&gt;&amp;long') && text.endsWith('…'))).toBe(true);
    expect(svg).not.toContain('<b>');
  });

  it('has a text alternative, both colour schemes, and nothing from elsewhere', () => {
    const svg = historySvg([checkOf(1, { goodput: worse })]);
    expect(svg).toMatch(
      /<desc[^>]*>1 check\. goodput: -20\.0 % \[-25\.0, -15\.0\], worse; worse in 1 of 1 check\.</,
    );
    expect(svg).toContain('@media(prefers-color-scheme:dark)');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|@import|(href="|url\()[^#]/);
  });
});
