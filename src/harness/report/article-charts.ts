/** Article charts: latency, errors, orders, throughput and events per stack, as bars and dots that need no script. */
import { latencyText, msText, numberText, percentText, tickText } from '../number-text.ts';
import { stackMarks } from '../stack-style.ts';
import { barChart, dotChart, stackClass, stackName } from './bar-charts.ts';
import { eventsText, extremesText, ordersText } from './chart-text.ts';
import { type DataTable, tableDetails } from './data-table.ts';
import { type Html, html } from './html.ts';
import type { ReportData, ReportStack } from './report-data.ts';

/** The five charts of the first article that have no time axis, from this run. */
export function articleCharts({ stacks }: ReportData): Html {
  return html`${latencyChart(stacks)}${errorChart(stacks)}${throughputChart(stacks)}${ordersChart(stacks)}${eventsChart(stacks)}`;
}

const latencyMarks = [
  { head: 'p50', mark: stackMarks[0] ?? '' },
  { head: 'p95', mark: stackMarks[3] ?? '' },
  { head: 'p99', mark: stackMarks[2] ?? '' },
  { head: 'max', mark: 'M-1-6H1V6H-1Z' },
] as const;

function latencyChart(stacks: readonly ReportStack[]): Html {
  const text = extremesText(
    'Order response p95',
    stacks,
    (stack) => stack.summary.responseUs.p95,
    latencyText,
  );
  const rows = stacks.map((stack, index) => ({
    name: stackName(stack.name, index),
    className: stackClass(index),
    dots: latencyMarks.flatMap(({ head, mark }) => {
      const us = stack.summary.responseUs[head];
      return us === null ? [] : [{ value: Math.max(us, 1) / 1000, mark }];
    }),
    text:
      stack.summary.responseUs.p95 === null
        ? 'too few samples'
        : `p95 ${latencyText(stack.summary.responseUs.p95)}`,
  }));
  return chart(
    'Latency by percentile, ms',
    text,
    html`<p class="marks">${latencyMarks.map(
      ({ head, mark }) =>
        html`<span class="line-key"><svg class="key" width="14" height="12" viewBox="-7 -6 14 12" aria-hidden="true"><path d="${mark}"/></svg>${head}</span>`,
    )}</p>${dotChart(text, rows, tickText)}`,
    {
      heads: [
        'stack',
        'orders',
        'p50, ms',
        'p90, ms',
        'p95, ms',
        'p99, ms',
        'p99.9, ms',
        'max, ms',
        'mean, ms',
      ],
      rows: stacks.map(({ name, summary: { responseUs } }) => [
        name,
        numberText(responseUs.count),
        ...(['p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'] as const).map((key) =>
          msText(responseUs[key]),
        ),
      ]),
    },
    'wide',
  );
}

function errorChart(stacks: readonly ReportStack[]): Html {
  const text = extremesText('Error rate', stacks, rateOf, (value) => `${percentText(value)} %`);
  return chart(
    'Error rate, % of offered orders',
    text,
    barChart(
      text,
      stacks.map((stack, index) => ({
        name: stackName(stack.name, index),
        parts: [{ value: rateOf(stack) ?? 0, className: stackClass(index) }],
        text: rateOf(stack) === null ? 'no orders' : `${percentText(stack.summary.errorRate)} %`,
      })),
      Math.max(...stacks.map((stack) => stack.summary.errorRate)),
    ),
    outcomeTable(stacks),
  );
}

function rateOf({ summary }: ReportStack): number | null {
  return summary.offered === 0 ? null : summary.errorRate;
}

function outcomeTable(stacks: readonly ReportStack[]): DataTable {
  const kinds = [...new Set(stacks.flatMap(({ summary }) => Object.keys(summary.byOutcome)))];
  return {
    heads: ['stack', 'error rate, %', ...kinds],
    rows: stacks.map(({ name, summary }) => [
      name,
      summary.offered === 0 ? '-' : percentText(summary.errorRate),
      ...kinds.map((kind) => numberText(summary.byOutcome[kind as keyof typeof summary.byOutcome] ?? 0)),
    ]),
  };
}

function ordersChart(stacks: readonly ReportStack[]): Html {
  const unanswered = ({ summary }: ReportStack) => summary.skipped + summary.inFlightAtEnd;
  const parts = [
    { head: 'confirmed', className: 'confirmed', of: ({ summary }: ReportStack) => summary.confirmed },
    { head: 'failed', className: 'failed', of: ({ summary }: ReportStack) => summary.failed },
    { head: 'never answered', className: 'unanswered', of: unanswered },
  ] as const;
  const text = ordersText(stacks);
  return chart(
    'Confirmed and failed, % of offered orders',
    text,
    html`<p class="marks">${parts.map(
      ({ head, className }) =>
        html`<span class="line-key"><svg class="bar-line chip" width="12" height="12" aria-hidden="true"><rect class="${className}" width="12" height="12"/></svg>${head}</span>`,
    )}</p>${barChart(
      text,
      stacks.map((stack, index) => ({
        name: stackName(stack.name, index),
        parts: parts.map(({ className, of }) => ({
          value: of(stack) / Math.max(stack.summary.offered, 1),
          className,
        })),
        text: `${numberText(stack.summary.confirmed)} / ${numberText(stack.summary.failed)}`,
      })),
      1,
    )}`,
    {
      heads: ['stack', 'offered', 'confirmed', 'failed', 'skipped (in-flight cap)', 'in flight at the end'],
      rows: stacks.map(({ name, summary }) => [
        name,
        ...[summary.offered, summary.confirmed, summary.failed, summary.skipped, summary.inFlightAtEnd].map(
          numberText,
        ),
      ]),
    },
    'wide',
  );
}

function throughputChart(stacks: readonly ReportStack[]): Html {
  const text = extremesText(
    'Throughput',
    stacks,
    (stack) => stack.summary.throughputPerS,
    (value) => `${numberText(value)} answers/s`,
  );
  return chart(
    'Throughput, orders per second',
    text,
    html`<p class="marks"><span class="line-key"><svg class="bar-line chip" width="12" height="12" aria-hidden="true"><rect class="confirmed" width="12" height="12"/></svg>confirmed</span><span class="line-key"><svg class="bar-line chip" width="12" height="12" aria-hidden="true"><rect class="failed" width="12" height="12"/></svg>answered, but failed</span></p>${barChart(
      text,
      stacks.map((stack, index) => ({
        name: stackName(stack.name, index),
        parts: [
          { value: stack.summary.goodputPerS, className: 'confirmed' },
          { value: stack.summary.throughputPerS - stack.summary.goodputPerS, className: 'failed' },
        ],
        text: `${numberText(stack.summary.goodputPerS)} of ${numberText(stack.summary.throughputPerS)}`,
      })),
      Math.max(...stacks.map((stack) => stack.summary.throughputPerS)),
    )}`,
    {
      heads: ['stack', 'answered, /s', 'confirmed, /s', 'attempts per order'],
      rows: stacks.map((stack) => [
        stack.name,
        numberText(stack.summary.throughputPerS),
        numberText(stack.summary.goodputPerS),
        numberText(stack.summary.amplification),
      ]),
    },
  );
}

function eventsChart(stacks: readonly ReportStack[]): Html {
  const types = [...new Set(stacks.flatMap(({ events }) => Object.keys(events)))].sort();
  const body =
    types.length === 0
      ? html`<p class="empty">No mechanism was triggered.</p>`
      : html`<div class="events">${types.map((type) => eventHtml(type, stacks))}</div>`;
  return chart(
    'Mechanisms triggered, by event',
    eventsText(stacks),
    html`${body}<p class="note">Each event has a scale of its own.</p>`,
    {
      heads: ['event', ...stacks.map(({ name }) => name)],
      rows: types.map((type) => [type, ...stacks.map(({ events }) => numberText(events[type] ?? 0))]),
    },
    'wide',
  );
}

function eventHtml(type: string, stacks: readonly ReportStack[]): Html {
  const bars = stacks.flatMap((stack, index) => {
    const count = stack.events[type] ?? 0;
    if (count === 0) return [];
    const parts = [{ value: count, className: stackClass(index) }];
    return [{ name: stackName(stack.name, index), parts, text: numberText(count) }];
  });
  const max = Math.max(...stacks.map(({ events }) => events[type] ?? 0));
  return html`<div><h4>${type}</h4>${barChart(`${type}: ${stacks.map((stack) => `${stack.name} ${numberText(stack.events[type] ?? 0)}`).join(', ')}`, bars, max)}</div>`;
}

function chart(title: string, text: string, body: Html, table: DataTable, className = ''): Html {
  return html`<figure class="${className}"><h3>${title}</h3>${body}<figcaption class="alternative">${text}</figcaption>${tableDetails(table, `Table: ${title}`)}</figure>`;
}
