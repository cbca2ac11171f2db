/** Report HTML: the whole page as one string that needs nothing from outside. Pure. */
import { articleCharts } from './article-charts.ts';
import { comparisonSection, verdictSection } from './comparison-html.ts';
import { Html, html, jsonForScript } from './html.ts';
import { countText } from '../number-text.ts';
import type { PageAssets } from './page-assets.ts';
import { pageHead } from './page-head.ts';
import { loopFigure, ordersFigure } from './percentile-figures.ts';
import type { Result } from '../result.ts';
import type { ReportData } from './report-data.ts';
import { settingsSection, validitySection } from './run-facts.ts';
import { memoryFigure, timelineFigures } from './timeline-figures.ts';

/**
 * Semantic HTML that can be read without a script; with it, charts that zoom. The policy in its head lets nothing run
 * or load but this very script and style.
 */
export function reportHtml(data: ReportData, { script, style }: PageAssets): string {
  const { result } = data;
  const measured = data.stacks.length > 0;
  return html`<!doctype html>
<html lang="en">
${pageHead({ title: result.stacks.map(({ name }) => name).join(', '), version: result.host.wavetank, style, script })}
<body>
<a class="skip" href="#main">Skip to the verdict</a>
<header><p class="brand">wavetank</p>${navigation(measured)}<button type="button" id="theme" class="needs-script">Dark</button></header>
<main id="main">
${warnings(data)}
${measured ? verdictSection(data) : html`<h1>Nothing was measured.</h1>`}
<p class="facts">${factsText(data)}</p>
${measured ? measuredSections(data) : null}
${validitySection(data)}
${settingsSection(data)}
</main>
<footer><p>Run ${result.id}, started ${result.startedAt}. Made from result.json alone.</p></footer>
<script type="application/json" id="report-data">${jsonForScript(data.page)}</script>
<script>${new Html(script)}</script>
</body>
</html>
`.markup;
}

function measuredSections(data: ReportData): Html {
  return html`${comparisonSection(data)}
<section id="latency"><h2>How long orders took</h2>
<p class="lead">From the moment an order was due to the end of its answer. The further to the right, the deeper into the tail: a tenth, a hundredth, a thousandth of the orders take longer.</p>
${ordersFigure(data)}</section>
<section id="charts"><h2>What each stack did</h2><div class="grid">${articleCharts(data)}${memoryFigure(data)}</div></section>
<section id="timelines"><h2>As it happened</h2>${timelineFigures(data)}</section>
<section id="loop"><h2>The gateway’s event loop</h2>
<p class="lead">What any event had to wait for, sampled in even steps of time, beside an idle thread on the same host: the canary, which is the noise floor.</p>
${loopFigure(data)}</section>`;
}

function navigation(measured: boolean): Html {
  const places = [
    ...(measured
      ? ([
          ['comparison', 'Comparison'],
          ['latency', 'Latency'],
          ['charts', 'Charts'],
          ['timelines', 'Timelines'],
          ['loop', 'Event loop'],
        ] as const)
      : []),
    ['validity', 'Validity'],
    ['settings', 'Repeat'],
  ] as const;
  return html`<nav aria-label="Sections">${places.map(([id, text]) => html`<a href="#${id}">${text}</a>`)}</nav>`;
}

/** What has to be known before any figure is read. */
function warnings({ result, stacks, missing }: ReportData): Html {
  const trials = stacks.flatMap((stack) => stack.trials);
  const invalid = trials.filter(({ valid }) => !valid).length;
  const noneValid = stacks.filter(({ summary }) => summary.validTrials === 0).map(({ name }) => name);
  const texts = [
    ...(result.complete ? [] : ['This run was interrupted: what follows is partial.']),
    ...(missing.length === 0 ? [] : [`Not measured: ${missing.join(', ')}.`]),
    ...(trials.length > 0 && invalid === trials.length
      ? [
          'No trial of this run is valid. Its figures are shown so that the cause can be found; do not believe them.',
        ]
      : [
          ...(invalid === 0 ? [] : [`${invalid} of ${trials.length} trials are invalid and left out.`]),
          ...(noneValid.length === 0
            ? []
            : [`No valid trial, so only invalid ones are shown: ${noneValid.join(', ')}.`]),
        ]),
  ];
  if (texts.length === 0) return html``;
  return html`<div class="warning" role="note">${texts.map((text) => html`<p>${text}</p>`)}<p><a href="#validity">Why: see validity</a></p></div>`;
}

function factsText({ result, stacks }: ReportData): string {
  const { options } = result;
  const trials = stacks.reduce((sum, stack) => sum + stack.trials.length, 0);
  const seconds = (ms: unknown) => (typeof ms === 'number' ? `${ms / 1000} s` : 'unknown');
  return [
    countText(stacks.length, 'stack'),
    countText(trials, 'trial'),
    options.loop === 'closed'
      ? `closed loop, ${known(options.vus)} users thinking ${seconds(options.thinkMs)}`
      : `open loop, ${known(options.ratePerS)} requests/s, ${known(options.arrivals)} arrivals`,
    `${seconds(options.durationMs)} measured after ${seconds(options.warmupMs)} of warm-up`,
    `seed ${result.seed}`,
    result.startedAt.slice(0, 16).replace('T', ' ').concat(' UTC'),
  ].join(' · ');
}

/** Results of other versions may not have every option. */
function known(option: Result['options'][string] | undefined): string {
  return option == null ? 'unknown' : String(option);
}
