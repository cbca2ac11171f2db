/** Bench HTML: the report of a bench as one page that needs nothing from outside, not even a script. Pure. */
import { countText } from '../number-text.ts';
import { tableHtml } from '../report/data-table.ts';
import { type Html, html } from '../report/html.ts';
import { pageHead } from '../report/page-head.ts';
import type { BenchResult } from './bench-result.ts';
import { benchSvg } from './bench-svg.ts';
import { benchLegend, benchTable } from './bench-text.ts';
import { benchVerdict } from './bench-verdict.ts';

/** @param style The style sheet of all reports. */
export function benchHtml(result: BenchResult, style: string): string {
  const { host, rounds, peers, rows, startedAt } = result;
  const facts = [
    countText(rounds, 'round'),
    ...Object.entries(peers).map(([name, version]) => `${name} ${version}`),
    `Node ${host.node.slice(1)}`,
    `${host.cpu}, ${countText(host.cores, 'core')}`,
    startedAt.slice(0, 16).replace('T', ' ').concat(' UTC'),
  ];
  // Its own light and dark follow the reader's system, as the page does.
  const chart = `data:image/svg+xml;base64,${Buffer.from(benchSvg(result)).toString('base64')}`;
  return html`<!doctype html>
<html lang="en">
${pageHead({ title: 'What a layer costs', version: host.wavetank, style, hasImages: true })}
<body>
<header><p class="brand">wavetank</p></header>
<main id="main">
<section><h1>${benchVerdict(rows) ?? 'What a layer costs'}</h1>
<p class="facts">${facts.join(' · ')}</p></section>
<section><h2>In one picture</h2>
<figure><div class="scroll" role="region" tabindex="0" aria-label="Chart of the costs"><img src="${chart}" alt="The time of each call and the memory of each pending one, by stack and library. The figures are in the table below."></div></figure></section>
<section><h2>All figures</h2>
${tableHtml(benchTable(rows), 'All figures')}
${benchLegend(rows, rounds).map((line): Html => html`<p>${line}</p>`)}</section>
</main>
<footer><p>Started ${startedAt}. Made from bench.json alone.</p></footer>
</body>
</html>
`.markup;
}
