/** Run facts: what a reader needs to believe a run and to repeat it: validity, options, layers, host, command. */
import { msText, numberText } from '../number-text.ts';
import type { Result, Trial } from '../result.ts';
import { stackName } from './bar-charts.ts';
import { tableHtml } from './data-table.ts';
import { type Html, html } from './html.ts';
import type { ReportData } from './report-data.ts';

/** Every trial with the figures that decide whether it counts. */
export function validitySection({ stacks, result }: ReportData): Html {
  const trials = stacks.flatMap((stack) => stack.trials.map((trial, index) => ({ stack, trial, index })));
  const invalid = trials.filter(({ trial }) => !trial.valid);
  const summary =
    invalid.length === 0
      ? `All ${trials.length} trials are valid.`
      : `${invalid.length} of ${trials.length} trials are invalid and left out of every figure, unless a stack has no other.`;
  return html`<section id="validity"><h2>Validity</h2><p>${summary}${result.complete ? '' : ' The run was interrupted: it is partial.'}</p>
${
  invalid.length === 0
    ? null
    : html`<ul class="reasons">${invalid.map(
        ({ stack, trial, index }) =>
          html`<li><b><bdi>${stack.name}</bdi>, trial ${index + 1}</b>: ${trial.invalidReasons.join('; ') || 'no reason was recorded'}</li>`,
      )}</ul>`
}
${tableHtml(
  {
    heads: [
      'stack',
      'trial',
      'place in order',
      'valid',
      'complete',
      'window, s',
      'offered',
      'deaths',
      'load lateness p99, ms',
      'canary loop delay p99, ms',
      'generator loop delay p99, ms',
      'load real-time',
      'service idle priority',
      'seed',
      'started',
    ],
    rows: trials.map(({ stack, trial, index }) => [stack.name, ...trialCells(trial, index)]),
  },
  'Trials',
)}</section>`;
}

function trialCells(trial: Trial, index: number): string[] {
  const ms = (us: number | null) => (us === null ? 'too few samples' : msText(us));
  return [
    String(index + 1),
    String(trial.sequence + 1),
    yesNo(trial.valid),
    yesNo(trial.complete),
    numberText(trial.windowMs / 1000),
    numberText(trial.orders.offered),
    trial.target === null ? '-' : numberText(trial.target.deaths),
    ms(trial.orders.latenessUs.p99),
    ms(trial.eventLoop.canaryDelayUs.p99),
    ms(trial.eventLoop.generatorDelayUs.p99),
    yesNo(trial.priorities.generatorRealTime),
    yesNo(trial.priorities.serviceIdle),
    String(trial.seed),
    trial.startedAt,
  ];
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** How to repeat the run, and what it ran with and on. */
export function settingsSection({ result }: ReportData): Html {
  return html`<section id="settings"><h2>Repeat it</h2>
<pre tabindex="0"><code>${result.command}</code></pre>
<p>Seed ${result.seed}: the same seed gives the same arrivals.</p>
<div class="columns"><div><h3>Options</h3>${definitions(Object.entries(result.options).map(([name, value]) => [name, valueText(value)]))}</div>
<div><h3>Host and versions</h3>${definitions(hostFacts(result))}</div></div>
<h3>Layers, outermost first</h3>
${result.stacks.map(
  (stack, index) =>
    html`<h4>${stackName(stack.name, index)}</h4>${stack.madeBy === null || stack.madeBy === 'wavetank' ? null : html`<p>Made by ${stack.madeBy}.</p>`}<ol class="layers">${stack.layers.map(
      (layer) => html`<li><b>${layer.name}</b> ${settingsText(layer.options)}</li>`,
    )}</ol>${stack.pools === null ? null : html`<p>Behind them the pools: ${settingsText(stack.pools)}</p>`}`,
)}
</section>`;
}

function hostFacts({ host }: Result): [string, string][] {
  return [
    ['wavetank', host.wavetank],
    ['commit', host.commit ?? 'not a git checkout'],
    ['Node.js', host.node],
    ['platform', host.platform],
    ['CPU', host.cpu],
    ['cores', numberText(host.cores)],
    ['memory, GB', numberText(host.memoryBytes / 1024 ** 3)],
    ['load average at the start', numberText(host.loadAverage)],
  ];
}

function definitions(entries: readonly (readonly [name: string, value: string])[]): Html {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function settingsText(options: Readonly<Record<string, Result['options'][string]>>): string {
  return Object.entries(options)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ');
}

function valueText(value: Result['options'][string]): string {
  if (value === null) return '-';
  if (typeof value === 'object') return value.length === 0 ? '-' : value.join(', ');
  return String(value);
}
