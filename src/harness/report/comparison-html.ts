/** Comparison HTML: the verdict in plain words, and the table of every stack against the first. */
import { comparisonSentence } from '../verdict-text.ts';
import type { ComparedStack, MetricRatio } from '../comparison.ts';
import { type MetricKey, metricKeys, metrics } from '../metrics.ts';
import { numberText } from '../number-text.ts';
import { stackName } from './bar-charts.ts';
import { type Html, html } from './html.ts';
import type { ReportData } from './report-data.ts';

/** What a person decides from in ten seconds. */
export function verdictSection({ comparison }: ReportData): Html {
  const [first] = comparison.stacks;
  return html`<section id="verdict"><h1>Verdict</h1>${comparison.stacks.map((stack, index) =>
    first === undefined || index === 0
      ? null
      : html`<p>${comparisonSentence(stack.summary, first.summary)}</p>`,
  )}</section>`;
}

export function comparisonSection({ comparison }: ReportData): Html {
  const { stacks } = comparison;
  const withIntervals = stacks.some(({ values }) => metricKeys.some((key) => values[key].interval !== null));
  return html`<section id="comparison"><h2>Side by side</h2>
<div class="scroll" role="region" tabindex="0" aria-label="Comparison table"><table class="comparison">
<thead><tr><th scope="col">metric</th>${stacks.map(({ name }, index) => html`<th scope="col">${stackName(name, index)}</th>`)}</tr></thead>
<tbody>${metricKeys.map((key) => metricRow(key, stacks))}</tbody>
</table></div>
<p class="note">${
    withIntervals
      ? 'In brackets: 95 % bootstrap interval over valid trials. A difference whose interval includes 1 is no difference.'
      : 'Too few valid trials for intervals (5 are needed): a ratio is that of these trials alone.'
  }</p></section>`;
}

function metricRow(key: MetricKey, stacks: readonly ComparedStack[]): Html {
  const { name, unit } = metrics[key];
  return html`<tr><th scope="row">${name}${unit === '' ? null : html`<span class="unit">, ${unit}</span>`}</th>${stacks.map(
    (stack) => metricCell(key, stack),
  )}</tr>`;
}

function metricCell(key: MetricKey, { values, againstFirst }: ComparedStack): Html {
  const { value, interval } = values[key];
  const text = (figure: number) => figureText(key, figure);
  return html`<td><span class="figure">${value === null ? '–' : text(value)}</span>${
    interval === null
      ? null
      : html` <span class="interval">(${text(interval.low)}–${text(interval.high)})</span>`
  }${againstFirst === null || againstFirst.rounds === 0 ? null : ratioHtml(key, againstFirst.ratios[key])}</td>`;
}

function ratioHtml(key: MetricKey, ratio: MetricRatio): Html {
  const told = ratio.verdict === 'lower' || ratio.verdict === 'higher';
  const className = !told ? 'same' : ratio.verdict === metrics[key].better ? 'better' : 'worse';
  return html`<span class="ratio ${className}">${ratioText(ratio)}</span>`;
}

/** `12 times lower (9.1–15)`, or in words why there is no such number. */
function ratioText({ ratio, interval, verdict, noiseFloor }: MetricRatio): string {
  if (noiseFloor === 'both') return 'both at the noise floor';
  if (verdict === 'unknown') return 'not compared';
  if (verdict === 'no difference') return 'no difference';
  if (ratio === null) {
    return noiseFloor === 'none'
      ? verdict
      : `${verdict}, ${noiseFloor === 'this' ? 'at the noise floor' : 'the first at the noise floor'}`;
  }
  const factor = (value: number) => twoDigits.format(verdict === 'lower' ? 1 / value : value);
  const ends = interval === null ? [] : [interval.low, interval.high].map(factor);
  if (verdict === 'lower') ends.reverse();
  return `${factor(ratio)} times ${verdict}${ends.length === 0 ? '' : ` (${ends.join('–')})`}`;
}

const twoDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

function figureText(key: MetricKey, value: number): string {
  const { decimals } = metrics[key];
  return decimals === null ? numberText(value) : value.toFixed(decimals);
}
