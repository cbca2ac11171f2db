/** Comparison HTML: the verdict in plain words, and the table of every stack against the first. */
import type { ComparedStack } from '../comparison.ts';
import { comparisonTable, intervalNote, intervalText } from '../comparison-table.ts';
import { isMeasured, type MetricKey, metricKeys, metrics, metricText } from '../metrics.ts';
import { differenceWords, stackVerdicts } from '../verdict-text.ts';
import { stackName } from './bar-charts.ts';
import { tableDetails } from './data-table.ts';
import { type Html, html } from './html.ts';
import type { ReportData } from './report-data.ts';

/** What a person decides from in ten seconds. */
export function verdictSection({ comparison }: ReportData): Html {
  const [first, ...others] = comparison.stacks;
  const verdicts = stackVerdicts(comparison);
  const compared = verdicts.filter(({ lines }) => lines.length > 0);
  const title =
    others.length === 1
      ? `${others[0]?.name} against ${first?.name}`
      : `${others.length} stacks against ${first?.name}`;
  if (others.length === 0) {
    return html`<section id="verdict"><h1><bdi>${first?.name ?? ''}</bdi>, by itself</h1><p>One stack was measured: there is nothing to compare it with.</p></section>`;
  }
  return html`<section id="verdict"><h1>${title}</h1>${
    compared.length === 0
      ? html`<p>Nothing can be compared: a comparison needs valid trials of both.</p>`
      : null
  }<div class="verdicts">${verdicts.map(({ heading, headline, lines }, index) =>
    lines.length === 0
      ? html`<p class="note">${heading}.</p>`
      : html`<div class="verdict"><h2>${stackName(others[index]?.name ?? '', index + 1)}</h2><p class="headline">${headline}</p><p class="note">${heading}</p><dl>${lines.map(
          ({ about, text }) => html`<div><dt>${about}</dt><dd>${text}</dd></div>`,
        )}</dl></div>`,
  )}</div></section>`;
}

export function comparisonSection({ comparison }: ReportData): Html {
  const { stacks } = comparison;
  const withIntervals = stacks.some(({ values }) => metricKeys.some((key) => values[key].interval !== null));
  const all = comparisonTable(comparison);
  return html`<section id="comparison"><h2>Side by side</h2>
<div class="scroll" role="region" tabindex="0" aria-label="Comparison table"><table class="comparison">
<thead><tr><th scope="col">metric</th>${stacks.map(({ name }, index) => html`<th scope="col">${stackName(name, index)}</th>`)}</tr></thead>
<tbody>${metricKeys.filter((key) => isMeasured(key, stacks)).map((key) => metricRow(key, stacks))}</tbody>
</table></div>
<p class="note">${
    withIntervals
      ? `${intervalNote} A difference whose interval includes 1 is no difference.`
      : 'Too few valid trials for intervals (5 are needed): another run may differ from this one.'
  }</p>
${tableDetails(
  {
    heads: ['figure', ...stacks.map(({ name }) => name)],
    rows: all.map(({ heading, cells }) => [
      heading.replaceAll(/^ +/g, (indent) => '\u2003'.repeat(indent.length / 2)),
      ...cells.map(({ figure, interval }) => (interval === null ? figure : `${figure} [${interval}]`)),
    ]),
  },
  'Table: everything that was counted',
)}</section>`;
}

function metricRow(key: MetricKey, stacks: readonly ComparedStack[]): Html {
  const { name, unit } = metrics[key];
  return html`<tr><th scope="row">${name}${unit === '' ? null : html`<span class="unit">, ${unit}</span>`}</th>${stacks.map(
    (stack) => metricCell(key, stack),
  )}</tr>`;
}

function metricCell(key: MetricKey, stack: ComparedStack): Html {
  const { value, interval } = stack.values[key];
  return html`<td><span class="figure">${metricText(metrics[key], value)}</span>${
    interval === null ? null : html`<span class="interval">[${intervalText(key, interval)}]</span>`
  }${differenceHtml(key, stack)}</td>`;
}

/** Nothing for the first stack, and where none of the figures can be compared. */
function differenceHtml(key: MetricKey, stack: ComparedStack): Html | null {
  if (stack.againstFirst === null || stack.againstFirst.rounds === 0) return null;
  const { verdict, noiseFloor } = stack.againstFirst.ratios[key];
  if (verdict === 'lower' || verdict === 'higher') {
    const className = verdict === metrics[key].better ? 'better' : 'worse';
    return html`<span class="ratio ${className}">${differenceWords(key, stack)}</span>`;
  }
  const words =
    verdict === 'no difference'
      ? verdict
      : noiseFloor === 'both'
        ? 'both at the noise floor'
        : 'too few samples';
  return html`<span class="ratio same">${words}</span>`;
}
