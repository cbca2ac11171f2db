/** Bench SVG: the cost of each stack beside the peers', on logarithmic axes. Pure. */
import { scaleLog } from 'd3-scale';
import { numberText } from '../number-text.ts';
import { logTicks, type Tick } from '../plot/percentile-axes.ts';
import { round, svgDocument, svgLine, svgText } from '../plot/svg.ts';
import { stackStyle } from '../stack-style.ts';
import type { Library } from './bench-case.ts';
import type { BenchResult } from './bench-result.ts';
import type { BenchRow } from './bench-rows.ts';
import { nsText, roundsText } from './bench-text.ts';

const width = 900;
const left = 330;
const right = 610;
const rowHeight = 24;
/** Where the figures of each library end, beside the marks: written at the marks they would run into each other. */
const figuresRight = [700, 790, 880];
const libraries: readonly Library[] = ['wavetank', 'cockatiel', 'opossum'];
/** Black is for axes and text; the lab's own is blue. */
const styles = libraries.map((_, index) => stackStyle(index + 1));

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly figure: (row: BenchRow) => number | null;
  readonly text: (value: number) => string;
}

const panels: readonly Panel[] = [
  {
    title: 'Time for each call',
    unit: "ns, the target's own call included",
    figure: ({ ns }) => ns,
    text: nsText,
  },
  {
    title: 'Memory for each pending call',
    unit: 'bytes of heap',
    figure: ({ bytesPerPending }) => bytesPerPending,
    text: numberText,
  },
];

export function benchSvg({ rows, rounds, peers, host }: BenchResult): string {
  const body: string[] = [];
  let top = 88;
  for (const panel of panels) {
    const drawn = panelBody(panel, rows, top);
    body.push(...drawn.body);
    top = drawn.bottom + 48;
  }
  const named = Object.entries(peers).map(([name, version]) => `${name} ${version}`);
  return svgDocument({
    width,
    height: top - 20,
    title: 'What a layer costs',
    description: rows
      .map(({ name, library, ns }) => `${name}, ${library}: ${nsText(ns)} ns for each call.`)
      .join(' '),
    body: [
      svgText(20, 30, 'What a layer costs', { className: 'heading' }),
      svgText(20, 50, `${roundsText(rounds)}; lower is better. Node ${host.node.slice(1)}, ${host.cpu}`, {
        className: 'soft',
      }),
      ...libraries.flatMap((library, index) => {
        const x = left + index * 140;
        const version = named.find((name) => name.startsWith(library)) ?? library;
        return rows.some((row) => row.library === library)
          ? [mark(index, x, 66), svgText(x + 12, 70, version)]
          : [];
      }),
      ...body,
    ],
  });
}

function panelBody(
  { title, unit, figure, text }: Panel,
  rows: readonly BenchRow[],
  top: number,
): { readonly body: string[]; readonly bottom: number } {
  const values = new Map<string, { readonly library: Library; readonly value: number }[]>();
  for (const row of rows) {
    const value = figure(row);
    if (value === null || value <= 0) continue;
    const { name, library } = row;
    values.set(name, [...(values.get(name) ?? []), { library, value }]);
  }
  const all = [...values.values()].flat().map(({ value }) => value);
  if (all.length === 0) return { body: [], bottom: top };
  const ticks = logTicks(Math.min(...all) * 0.9, Math.max(...all) * 1.1);
  const first = top + 28;
  const bottom = first + values.size * rowHeight;
  const x = scaleLog([ticks[0]?.value ?? 1, ticks.at(-1)?.value ?? 10], [left, right]);
  const lines = [...values].flatMap(([name, dots], index) => {
    const y = first + (index + 0.5) * rowHeight;
    const places = dots.map(({ value }) => x(value));
    return [
      svgText(left - 14, y + 4, name, { anchor: 'end' }),
      svgLine(Math.min(...places), y, Math.max(...places), y, 'axis'),
      ...dots.flatMap(({ library, value }, place) => {
        const index = libraries.indexOf(library);
        return [
          mark(index, places[place] as number, y),
          svgText(figuresRight[index] as number, y + 4, text(value), {
            anchor: 'end',
            className: `name number c${styleOf(library).colour}`,
          }),
        ];
      }),
    ];
  });
  return {
    body: [
      svgText(20, top + 8, title, { className: 'strong' }),
      svgText(20, top + 26, unit, { className: 'soft' }),
      ...libraries.flatMap((library, index) =>
        [...values.values()].flat().some((dot) => dot.library === library)
          ? [
              svgText(figuresRight[index] as number, top + 18, library, {
                anchor: 'end',
                className: `name c${styleOf(library).colour}`,
              }),
            ]
          : [],
      ),
      ...ticks.flatMap((tick) => [
        svgLine(x(tick.value), first, x(tick.value), bottom + 4, 'grid'),
        ...(tick.text === ''
          ? []
          : [
              svgText(x(tick.value), bottom + 20, axisText(tick), {
                anchor: 'middle',
                className: 'soft number',
              }),
            ]),
      ]),
      ...lines,
    ],
    bottom: bottom + 20,
  };
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });

/** `10K` where the digits would run into those of the next one. */
function axisText({ value, text }: Tick): string {
  return value < 1e4 ? text : compact.format(value);
}

function styleOf(library: Library) {
  return styles[libraries.indexOf(library)] as (typeof styles)[number];
}

function mark(index: number, x: number, y: number): string {
  const { colour, mark: outline } = styles[index] as (typeof styles)[number];
  return `<path class="mark c${colour}" transform="translate(${round(x)} ${round(y)})" d="${outline}"/>`;
}
