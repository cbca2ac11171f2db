/**
 * Bar charts: bars and dots as SVG between words and figures, drawn without a script. All places are percentages, so
 * that a chart is as wide as the page while its text keeps its size.
 */
import { stackStyle } from '../stack-style.ts';
import { type Html, html } from './html.ts';

export interface Bar {
  readonly name: Html;
  /** One behind the other from the left, in the unit of the chart. */
  readonly parts: readonly { readonly value: number; readonly className: string }[];
  /** What stands beside the bar: its figure, with unit. */
  readonly text: string;
}

/** Bars from 0. @param max What a whole width stands for; at least the longest bar. */
export function barChart(label: string, bars: readonly Bar[], max: number): Html {
  return html`<div class="bars" role="img" aria-label="${label}">${bars.map((bar) => barHtml(bar, max))}</div>`;
}

function barHtml({ name, parts, text }: Bar, max: number): Html {
  let from = 0;
  const rects = parts.map(({ value, className }) => {
    const width = share(value, max);
    const rect = html`<rect class="${className}" x="${percent(from)}" width="${percent(width)}" height="100%"/>`;
    from += width;
    return rect;
  });
  return html`<div class="bar"><span class="bar-name">${name}</span><svg class="bar-line" width="100%" height="14" aria-hidden="true"><line class="bar-base" y2="100%"/>${rects}</svg><span class="bar-text">${text}</span></div>`;
}

export interface DotRow {
  readonly name: Html;
  /** Class of the line through its dots. */
  readonly className: string;
  /** In the unit of the chart, more than 0. */
  readonly dots: readonly { readonly value: number; readonly mark: string }[];
  readonly text: string;
}

/** Dots on a logarithmic axis, a row per stack: a bar on such an axis would have no honest length. */
export function dotChart(label: string, rows: readonly DotRow[], tickText: (value: number) => string): Html {
  const values = rows.flatMap(({ dots }) => dots.map(({ value }) => value));
  if (values.length === 0) return html`<p class="empty">${label}</p>`;
  const from = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const to = Math.max(Math.ceil(Math.log10(Math.max(...values)) - 1e-9), from + 1);
  const at = (value: number) => percent((Math.log10(value) - from) / (to - from));
  const decades = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  // Labels of many decades would run into each other.
  const labelled = decades.filter((_, index) => (to - index - from) % Math.ceil(decades.length / 5) === 0);
  const grid = decades.map(
    (decade) => html`<line class="grid" x1="${at(decade)}" x2="${at(decade)}" y2="100%"/>`,
  );
  return html`<div class="bars dots" role="img" aria-label="${label}">${rows.map(
    ({ name, className, dots, text }) =>
      html`<div class="bar"><span class="bar-name">${name}</span><svg class="bar-line" width="100%" height="26" aria-hidden="true">${grid}${throughDots(dots, className, at)}${dots.map(
        ({ value, mark }) =>
          html`<svg x="${at(value)}" y="13" overflow="visible"><path class="${className}" d="${mark}"/></svg>`,
      )}</svg><span class="bar-text">${text}</span></div>`,
  )}<div class="bar axis"><span class="bar-name"></span><svg class="bar-line" width="100%" height="18" aria-hidden="true">${labelled.map(
    (decade) =>
      html`<text x="${at(decade)}" y="13" text-anchor="${anchorOf(decades.indexOf(decade), decades.length)}">${tickText(decade)}</text>`,
  )}</svg><span class="bar-text"></span></div></div>`;
}

function throughDots(dots: DotRow['dots'], className: string, at: (value: number) => string): Html | null {
  const values = dots.map(({ value }) => value);
  if (values.length === 0) return null;
  return html`<line class="${className} through" x1="${at(Math.min(...values))}" x2="${at(Math.max(...values))}" y1="13" y2="13"/>`;
}

function anchorOf(index: number, count: number): string {
  if (index === 0) return 'start';
  return index === count - 1 ? 'end' : 'middle';
}

/** A stack's name beside a piece of its line. */
export function stackName(name: string, index: number): Html {
  return html`${stackKey(index)}<bdi>${breakable(name)}</bdi>`;
}

/** A line may break behind each layer. */
function breakable(name: string): Html[] {
  return name.split(/(?<=\+)/).map((layer, place) => (place === 0 ? html`${layer}` : html`<wbr>${layer}`));
}

/** A piece of a stack's line with its mark. */
export function stackKey(index: number): Html {
  const { dash, mark } = stackStyle(index);
  return html`<svg class="key ${stackClass(index)}" width="34" height="12" viewBox="-17 -6 34 12" aria-hidden="true"><line x1="-17" x2="17" stroke-dasharray="${dash.join(' ')}"/><path d="${mark}"/></svg>`;
}

export function stackClass(index: number): string {
  return `stack-${stackStyle(index).colour}`;
}

function share(value: number, max: number): number {
  return max > 0 ? Math.min(Math.max(value / max, 0), 1) : 0;
}

function percent(of: number): string {
  return `${Number((of * 100).toFixed(2))}%`;
}
