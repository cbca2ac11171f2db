/** Percentile figures: the places, switches, words and tables of the two percentile charts; the script draws into them. */
import { crossingText, latencyText, msText, numberText } from '../number-text.ts';
import { stackKey, stackName } from './bar-charts.ts';
import { loopDelayText, percentileText } from './chart-text.ts';
import { type DataTable, tableDetails } from './data-table.ts';
import { type Html, html } from './html.ts';
import { type OrderClass, orderClasses } from './page-data.ts';
import { type ReportData, type ReportStack, tablePercents } from './report-data.ts';

const percentHeads = [...tablePercents.map((percent) => `${percent} %, ms`), 'max, ms'];

/** Response times of orders, with switches for their class, the scale and the stacks. */
export function ordersFigure({ stacks, slaMs }: ReportData): Html {
  const label = `Percentile plot of order response times. ${percentileText(stacks, 'all', slaMs)}`;
  return html`<figure id="percentiles">
<h3>Order response time by percentile, ms</h3>
<div class="controls">
${radios('Orders', 'order-class', orderClasses)}
${scaleRadios('percentiles')}
${zoomBar('the percentile plot')}
</div>
${stackSwitches(stacks)}
<div class="plot tall" role="img" aria-label="${label}"></div>
<p class="readout" aria-hidden="true"></p>
<figcaption>${orderClasses.map((name) => withinList(stacks, name, slaMs))}
<p class="alternative">${percentileText(stacks, 'all', slaMs)}</p></figcaption>
${tableDetails(ordersTable(stacks, slaMs), 'Table: order response time by percentile')}
</figure>`;
}

/** At which percentile each stack crosses the limit. */
function withinList(stacks: readonly ReportStack[], name: OrderClass, slaMs: number): Html {
  const limit = latencyText(slaMs * 1000);
  return html`<div class="crossings" data-class="${name}"><h4>${name === 'all' ? 'All orders' : `Orders that ${name === 'failed' ? 'failed' : 'were confirmed'}`} stay within ${limit} up to the percentile${name === 'all' ? ', those that were rejected at once included' : ''}</h4><ul>${stacks.map(
    (stack, index) =>
      html`<li>${stackName(stack.name, index)} <b>${stack.orders[name].count === 0 ? 'no samples' : crossingText(stack.orders[name].withinSla)}</b></li>`,
  )}</ul></div>`;
}

function ordersTable(stacks: readonly ReportStack[], slaMs: number): DataTable {
  return {
    heads: ['stack', 'orders', 'count', ...percentHeads, `within ${latencyText(slaMs * 1000)} up to`],
    rows: orderClasses.flatMap((name) =>
      stacks.map((stack) => {
        const { count, percentilesUs, withinSla } = stack.orders[name];
        return [stack.name, name, numberText(count), ...percentilesUs.map(msText), crossingText(withinSla)];
      }),
    ),
  };
}

/** What an event had to wait for in the gateway's loop, and in the idle canary's. */
export function loopFigure({ stacks }: ReportData): Html {
  return html`<figure id="loop-delay">
<h3>Event-loop delay by percentile of time, ms</h3>
<div class="controls">
${scaleRadios('loop-delay')}
${zoomBar('the loop delay plot')}
</div>
${stackSwitches(
  stacks,
  html`<label class="switch"><input type="checkbox" data-canary checked><svg class="key canary" width="34" height="12" viewBox="-17 -6 34 12" aria-hidden="true"><line x1="-17" x2="17" stroke-dasharray="2 3"/></svg><span>canaries</span></label>`,
)}
<div class="plot tall" role="img" aria-label="${`Percentile plot of event-loop delay. ${loopDelayText(stacks)}`}"></div>
<p class="readout" aria-hidden="true"></p>
<figcaption><p class="alternative">${loopDelayText(stacks)}</p></figcaption>
${tableDetails(loopTable(stacks), 'Table: event-loop delay by percentile of time')}
</figure>`;
}

function loopTable(stacks: readonly ReportStack[]): DataTable {
  return {
    heads: ['stack', 'loop', ...percentHeads],
    rows: stacks.flatMap((stack) => [
      [stack.name, 'gateway', ...stack.gatewayDelay.map(msText)],
      [stack.name, 'canary', ...stack.canaryDelay.map(msText)],
    ]),
  };
}

function stackSwitches(stacks: readonly ReportStack[], more: Html | null = null): Html {
  return html`<fieldset class="switches"><legend class="hidden">Stacks shown</legend>${stacks.map(
    (stack, index) =>
      html`<label class="switch"><input type="checkbox" data-stack="${index}" checked>${stackKey(index)}<bdi>${stack.name}</bdi></label>`,
  )}${more}</fieldset>`;
}

function radios(legend: string, name: string, values: readonly string[]): Html {
  return html`<fieldset class="segments"><legend>${legend}</legend>${values.map(
    (value, index) =>
      html`<label><input type="radio" name="${name}" data-order-class="${value}"${index === 0 ? checked : null}><span>${value}</span></label>`,
  )}</fieldset>`;
}

const checked = html` checked`;

function scaleRadios(figure: string): Html {
  return html`<fieldset class="segments"><legend>Scale</legend><label><input type="radio" name="scale-${figure}" data-scale="log" checked><span>log</span></label><label><input type="radio" name="scale-${figure}" data-scale="linear"><span>linear</span></label></fieldset>`;
}

/** Buttons that do what dragging does, for the keyboard and for fingers. */
export function zoomBar(what: string): Html {
  const button = (how: string, sign: string, words: string) =>
    html`<button type="button" data-zoom="${how}" aria-label="${words}: ${what}" title="${words}">${sign}</button>`;
  return html`<div class="toolbar" role="group" aria-label="Zoom of ${what}"><span class="hint">Zoom</span>${button('in', '+', 'Zoom in')}${button('out', '−', 'Zoom out')}${button('back', '←', 'Move left')}${button('on', '→', 'Move right')}${button('whole', 'Reset', 'Show all')}</div>`;
}
