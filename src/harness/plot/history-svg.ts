/** History SVG: how each metric changed from check to check, a small panel per metric. Pure. */
import { area, curveStepAfter, line as linePath } from 'd3-shape';
import type { CheckRecord } from '../check/check-record.ts';
import type { HistoryLine } from '../check/history-line.ts';
import { changeText } from '../check/check-words.ts';
import { plainText } from '../number-text.ts';
import { stackMarks } from '../stack-style.ts';
import { escapeXml } from '../xml-text.ts';
import { historyAxis } from './history-axis.ts';
import {
  comparedChecks,
  type HistoryPoint,
  type HistorySeries,
  historySeries,
  hostKey,
  stretchesOf,
  ticksOf,
} from './history-series.ts';
import { round, shortened, svgDocument, svgLine, svgText } from './svg.ts';

type Verdict = CheckRecord['verdict'];

const width = 900;
const top = 96;
const panel = { width: 425, height: 158, plotLeft: 52, plotTop: 26, plotHeight: 96 };
const panelLefts = [20, 460];
/** Between the first or last check and the panel's edge, so that a mark or a date there is not cut off. */
const inset = 38;
const ticksMax = 4;
/** Rough width of a letter of the strong 12 px text, and of the ordinary one. */
const letter = { strong: 7.2, plain: 6.4 };
/** With more changes of host than this the lines between them would hide the points. */
const hostLinesMax = 8;

/** The colour (an index into `stackColours`) and the shape of each verdict: each is told by either alone. */
const looks: Readonly<Record<Verdict, { readonly colour: number; readonly mark: string }>> = {
  same: { colour: 1, mark: stackMarks[0] ?? '' },
  inconclusive: { colour: 7, mark: stackMarks[7] ?? '' },
  better: { colour: 3, mark: stackMarks[5] ?? '' },
  worse: { colour: 2, mark: stackMarks[3] ?? '' },
};

/** In the order in which they are drawn: what matters most lies on top. */
const verdictOrder = Object.keys(looks) as Verdict[];

/** The picture of a history that has at least one check with a change. */
export function historySvg(lines: readonly HistoryLine[]): string {
  const checks = comparedChecks(lines);
  const series = historySeries(checks);
  const newest = checks.at(-1);
  const rows = Math.ceil(series.length / panelLefts.length);
  const hosts = new Set(checks.map(hostKey)).size;
  const count = checks.length === 1 ? '1 check' : `${checks.length.toLocaleString('en')} checks`;
  const about = checks.length === 1 ? count : `${count}, evenly apart in the order of their time`;
  return svgDocument({
    width,
    height: top + rows * panel.height + 8,
    title: 'Changes from check to check',
    description: [`${count}.`, ...series.map(descriptionOf)].join(' '),
    body: [
      `<defs>${verdictOrder.map((verdict) => `<path id="${verdict}" d="${looks[verdict].mark}"/>`).join('')}</defs>`,
      svgText(20, 30, 'Changes from check to check', { className: 'heading' }),
      svgText(
        20,
        50,
        `${about}; change against the baseline of the check, with its 95 % interval${
          hosts > 1 ? `, on ${hosts} hosts` : ''
        }`,
        { className: 'soft' },
      ),
      ...legend(hosts > 1),
      ...series.flatMap((one, index) =>
        panelOf(
          one,
          checks,
          newest === undefined ? '' : hostKey(newest),
          panelLefts[index % panelLefts.length] ?? 0,
          top + Math.floor(index / panelLefts.length) * panel.height,
          index,
        ),
      ),
    ],
  });
}

function legend(manyHosts: boolean): string[] {
  const y = 74;
  const items: [draw: (x: number) => string, text: string, width: number][] = [
    ...[...verdictOrder]
      .reverse()
      .map((verdict): (typeof items)[number] => [
        (x) => markAt(verdict, x + 5, y - 4, 1, false),
        verdict,
        34 + verdict.length * 6.2,
      ]),
    [
      (x) => `<rect class="area c7" fill-opacity=".6" x="${x}" y="${y - 10}" width="18" height="12"/>`,
      'smaller than what matters',
      200,
    ],
    ...(manyHosts
      ? ([
          [(x) => markAt('same', x + 5, y - 4, 1, true), 'hollow: another host than the newest', 240],
        ] satisfies typeof items)
      : []),
  ];
  let x = 20;
  return items.flatMap(([draw, text, itemWidth], index) => {
    const at = x;
    x += itemWidth;
    return [
      draw(at),
      svgText(at + (index === verdictOrder.length ? 24 : 15), y, text, { className: 'soft' }),
    ];
  });
}

function panelOf(
  series: HistorySeries,
  checks: readonly HistoryLine[],
  hostNow: string,
  left: number,
  panelTop: number,
  index: number,
): string[] {
  const { metric, points } = series;
  const plotLeft = left + panel.plotLeft;
  const right = left + panel.width;
  const high = panelTop + panel.plotTop;
  const low = high + panel.plotHeight;
  const axis = historyAxis(series, low, high);
  const gap = (right - plotLeft - 2 * inset) / Math.max(1, checks.length - 1);
  const x = (place: number) =>
    checks.length === 1 ? (plotLeft + right) / 2 : plotLeft + inset + place * gap;
  /** Crowded marks are drawn smaller. */
  const size = Math.min(1, Math.max(0.4, gap / 9));
  const stretches = stretchesOf(points);
  const clip = `panel${index}`;
  return [
    ...headOf(series, checks.length, left, panelTop + 14),
    `<clipPath id="${clip}"><rect x="${plotLeft}" y="${high}" width="${right - plotLeft}" height="${panel.plotHeight}"/></clipPath>`,
    ...axis.ticks.flatMap(({ y, text }) => [
      svgLine(plotLeft, y, right, y, 'grid'),
      svgText(plotLeft - 6, y + 4, text, { anchor: 'end', className: 'soft number' }),
    ]),
    `<g clip-path="url(#${clip})">`,
    ...bandOf(series, axis.y, x, plotLeft, right),
    svgLine(
      plotLeft,
      axis.y(metric.scale === 'ratio' ? 1 : 0),
      right,
      axis.y(metric.scale === 'ratio' ? 1 : 0),
      'axis',
    ),
    ...(stretches.length - 1 > hostLinesMax
      ? []
      : stretches.slice(1).map(([first]) => {
          const at = x((first?.place ?? 0) - 0.5);
          return `<line class="axis" stroke-dasharray="2 3" x1="${round(at)}" y1="${high}" x2="${round(at)}" y2="${low}"/>`;
        })),
    ...whiskers(points, axis.y, x),
    ...stretches
      .filter((stretch) => stretch.length > 1)
      .map(
        (stretch) =>
          `<path class="curve c7" stroke-opacity=".6" d="${
            linePath<HistoryPoint>()
              .x((point) => round(x(point.place)))
              .y((point) => round(axis.y(point.change)))(stretch) ?? ''
          }"/>`,
      ),
    '</g>',
    ...verdictOrder.flatMap((verdict) =>
      points
        .filter((point) => point.metric.verdict === verdict)
        .map((point) => {
          const hollow = hostKey(point.check) !== hostNow;
          // One that is worse or better is looked for: it stays large, and says which check it was.
          const told = verdict === 'worse' || verdict === 'better';
          const mark = markAt(
            verdict,
            x(point.place),
            axis.y(point.change),
            told ? Math.max(size, 0.8) : size,
            hollow,
          );
          return told ? mark.replace('/>', `><title>${escapeXml(tipOf(point))}</title></use>`) : mark;
        }),
    ),
    svgLine(plotLeft, low, right, low, 'axis'),
    ...ticksOf(checks.length, ticksMax).map((place) =>
      svgText(x(place), low + 17, dateText(checks, place), { anchor: 'middle', className: 'soft number' }),
    ),
  ];
}

/** The metric's name, and what the newest check says of it; without the interval where there is no room for it. */
function headOf({ metric, points }: HistorySeries, checks: number, left: number, y: number): string[] {
  const newest = points.at(-1);
  const name = plainText(
    metric.scale === 'ratio' || metric.unit === '' ? metric.name : `${metric.name}, ${metric.unit}`,
  );
  const [texts, className] =
    newest?.place === checks - 1
      ? [
          [
            latestText(newest),
            changeText({ scale: metric.scale, change: { value: newest.change, low: null, high: null } }),
          ].map((text) => `${text}, ${newest.metric.verdict}`),
          `name number c${looks[newest.metric.verdict].colour}`,
        ]
      : [['not in the newest check'], 'soft'];
  const room = (text: string) => (panel.width - 20 - text.length * letter.plain) / letter.strong;
  const text = texts.find((one) => name.length <= room(one)) ?? texts.at(-1) ?? '';
  return [
    svgText(left, y, shortened(name, Math.floor(room(text))), { className: 'strong' }),
    svgText(left + panel.width, y, text, { anchor: 'end', className }),
  ];
}

/** Where changes are smaller than what matters; the limits may be others from check to check. */
function bandOf(
  { points, metric }: HistorySeries,
  y: (change: number) => number,
  x: (place: number) => number,
  left: number,
  right: number,
): string[] {
  const isRatio = metric.scale === 'ratio';
  const bounds = (effect: number) => (isRatio ? [1 / (1 + effect), 1 + effect] : [-effect, effect]);
  const edges = points.map((point, index) => ({
    x: index === 0 ? left : x(point.place - 0.5),
    effect: point.metric.smallestEffect,
  }));
  const last = edges.at(-1);
  if (last === undefined) return [];
  const shape = area<(typeof edges)[number]>()
    .x((edge) => round(edge.x))
    .y0((edge) => round(y(bounds(edge.effect)[0] ?? 0)))
    .y1((edge) => round(y(bounds(edge.effect)[1] ?? 0)))
    .curve(curveStepAfter);
  return [`<path class="area c7" fill-opacity=".6" d="${shape([...edges, { ...last, x: right }]) ?? ''}"/>`];
}

/** The intervals, one path per verdict. */
function whiskers(
  points: readonly HistoryPoint[],
  y: (change: number) => number,
  x: (place: number) => number,
): string[] {
  return verdictOrder.flatMap((verdict) => {
    const path = points
      .filter((point) => point.metric.verdict === verdict && point.low < point.high)
      .map((point) => `M${round(x(point.place))} ${round(y(point.low))}V${round(y(point.high))}`)
      .join('');
    return path === ''
      ? []
      : [`<path class="curve c${looks[verdict].colour}" stroke-opacity=".5" d="${path}"/>`];
  });
}

function markAt(verdict: Verdict, x: number, y: number, size: number, hollow: boolean): string {
  const scale = size === 1 ? '' : ` scale(${round(size * 10) / 10})`;
  return `<use href="#${verdict}" class="${hollow ? 'ring' : 'mark'} c${looks[verdict].colour}" transform="translate(${round(x)} ${round(y)})${scale}"/>`;
}

function latestText({ metric, change }: HistoryPoint): string {
  const { scale, low, high } = metric;
  return changeText({ scale, change: { value: change, low, high } });
}

function tipOf(point: HistoryPoint): string {
  const { check, metric } = point;
  const { cpu, node } = check.host;
  const side = check.b.commit ?? check.b.label;
  const when = check.startedAt.slice(0, 16).replace('T', ' ');
  return plainText(`${when}: ${latestText(point)}, ${metric.verdict}; ${side}; ${cpu}, Node ${node}`);
}

function descriptionOf({ metric, points }: HistorySeries): string {
  const latest = points.at(-1);
  const worse = points.filter((point) => point.metric.verdict === 'worse').length;
  const of = points.length === 1 ? '1 check' : `${points.length} checks`;
  return plainText(
    `${metric.name}: ${latest === undefined ? '' : `${latestText(latest)}, ${latest.metric.verdict}`}; worse in ${worse} of ${of}.`,
  );
}

/** UTC: the day; where all checks lie within three days, the time as well. */
function dateText(checks: readonly HistoryLine[], place: number): string {
  const timeOf = (check: HistoryLine | undefined) => check?.startedAt ?? '';
  const spanMs = Date.parse(timeOf(checks.at(-1))) - Date.parse(timeOf(checks[0]));
  const text = timeOf(checks[place]);
  return spanMs < 3 * 86_400_000 ? text.slice(5, 16).replace('T', ' ') : text.slice(0, 10);
}
