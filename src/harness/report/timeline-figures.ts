/** Timeline figures: the places, words and tables of every stack's timeline and memory chart; the script draws into them. */
import { isDeath } from '../life-story.ts';
import { numberText } from '../number-text.ts';
import { mebibyte } from '../units.ts';
import { stackName } from './bar-charts.ts';
import { memoryText } from './chart-text.ts';
import { tableDetails } from './data-table.ts';
import { type Html, html } from './html.ts';
import type { PageStack, TrialTimeline } from './page-data.ts';
import { zoomBar } from './percentile-figures.ts';
import type { ReportData } from './report-data.ts';
import { type Panel, type PanelLine, timelinePanels } from './timeline-panels.ts';
import { timelineTable, timelineText } from './timeline-table.ts';

/** The trial that is shown first: the first that is valid for all stacks, or else the first. */
export function firstTrial(stacks: readonly PageStack[]): number {
  const trials = [...new Set(stacks.flatMap(({ timelines }) => timelines.map(({ trial }) => trial)))];
  return (
    trials.find((trial) => stacks.every((stack) => timelineOf(stack, trial)?.valid === true)) ??
    trials[0] ??
    1
  );
}

function timelineOf(stack: PageStack, trial: number): TrialTimeline | undefined {
  return stack.timelines.find((timeline) => timeline.trial === trial);
}

/** The controls of all charts with a time axis, and a figure per stack. */
export function timelineFigures({ page, stacks, timelines }: ReportData): Html {
  const shown = firstTrial(page.stacks);
  const more = Math.max(...stacks.map(({ trials }) => trials.length)) > timelines.trialsMax;
  return html`<div class="controls sticky">${trialChoice(page.stacks, shown)}${zoomBar('all charts over time')}</div>
<p class="note">Drag across any chart to look closer; all charts over time follow, those of the memory too. ${timelineKey}</p>
<p class="note">Steps of ${numberText(timelines.stepMs)} ms; time counts from the start of the measured window, and what lies outside of it (warm-up, drain) is shaded.${
    more
      ? ` The first ${timelines.trialsMax} trials of each stack are here; the others are in result.json.`
      : ''
  }</p>
${page.stacks.map((stack, index) => timelineFigure(stack, index, timelineOf(stack, shown)))}`;
}

const timelineKey = html`<span class="marks"><span class="sample open"></span> breaker open <span class="sample half-open"></span> half-open <span class="death">✕</span> death of the service <span class="restart">▲</span> restarted`;

function trialChoice(stacks: readonly PageStack[], shown: number): Html | null {
  const count = Math.max(...stacks.map(({ timelines }) => timelines.length));
  if (count < 2) return null;
  const trials = Array.from({ length: count }, (_, index) => index + 1);
  const invalid = (trial: number) =>
    stacks.filter((stack) => timelineOf(stack, trial)?.valid === false).length;
  return html`<label class="choice">Trial <select id="trial">${trials.map(
    (trial) =>
      html`<option value="${trial}"${trial === shown ? html` selected` : null}>${trial}${
        invalid(trial) === 0 ? '' : ` (${invalid(trial)} of ${stacks.length} invalid)`
      }</option>`,
  )}</select></label>`;
}

function timelineFigure(stack: PageStack, index: number, timeline: TrialTimeline | undefined): Html {
  const text =
    timeline === undefined ? `${stack.name}: this trial was not run.` : timelineText(stack.name, timeline);
  return html`<figure class="timeline" data-timeline="${index}">
<h3>${stackName(stack.name, index)}</h3>
<figcaption class="alternative">${text}</figcaption>
<div role="img" aria-label="${text}">${timelinePanels.map(panelHtml)}</div>
${timeline === undefined ? null : tableDetails(timelineTable(timeline), `Table: timeline of ${stack.name}`)}
</figure>`;
}

function panelHtml(panel: Panel): Html {
  const keys = panel.lines.length > 1 ? panel.lines.map(lineKey) : null;
  return html`<div class="panel" data-panel="${panel.id}"><div class="panel-head"><span class="panel-title">${panel.title}</span>${keys}<span class="readout"></span></div><div class="plot"></div></div>`;
}

function lineKey({ label, colour, dash }: PanelLine): Html {
  return html`<span class="line-key"><svg class="key ${colour.slice(2)}" width="22" height="8" viewBox="0 -4 22 8" aria-hidden="true"><line x2="22" stroke-dasharray="${dash.join(' ')}"/></svg>${label}</span>`;
}

/** The memory of every stack's service, all with one scale. */
export function memoryFigure({ page, stacks }: ReportData): Html {
  return html`<figure class="wide"><h3>Memory of the payment service, MB</h3>
<div class="memories">${page.stacks.map(
    (stack, index) =>
      html`<div data-memory="${index}"><div class="panel-head"><span class="panel-title">${stackName(stack.name, index)}</span><span class="readout"></span></div><div class="plot" role="img" aria-label="${`Memory of the payment service behind ${stack.name} over time.`}"></div></div>`,
  )}</div>
<figcaption class="alternative">${memoryText(stacks)} Deaths are marked ✕, restarts ▲. The trial is the one that is chosen for the timelines, whose tables hold the figures.</figcaption>
${tableDetails(
  {
    heads: [
      'stack',
      'trial',
      'died at, s',
      'because',
      'exit code',
      'memory when last seen, MB',
      'had lived, s',
    ],
    rows: stacks.flatMap((stack) =>
      stack.trials.flatMap((trial, index) =>
        (trial.target?.exits ?? [])
          .filter(({ reason }) => isDeath(reason))
          .map((exit) => [
            stack.name,
            String(index + 1),
            numberText(exit.atMs / 1000),
            exit.reason,
            String(exit.code),
            exit.rssBytes === null ? '-' : numberText(exit.rssBytes / mebibyte),
            numberText(exit.uptimeMs / 1000),
          ]),
      ),
    ),
  },
  'Table: deaths of the payment service',
)}
</figure>`;
}
