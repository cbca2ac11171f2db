/** Timelines: every stack's panels and memory chart on one shared time axis, for the trial that is chosen. */
import type { PageData, PageStack, TrialTimeline } from '../harness/report/page-data.ts';
import { memoryPanel, timelinePanels } from '../harness/report/timeline-panels.ts';
import { timelineTable, timelineText } from '../harness/report/timeline-table.ts';
import { find } from './dom.ts';
import { drawPanel } from './time-charts.ts';
import { createZoomGroup, type ZoomGroup } from './zoom.ts';

export function startTimelines({ stacks }: PageData): void {
  const all = stacks.flatMap(({ timelines }) => timelines).filter(({ startS }) => startS.length > 0);
  const fromS = Math.min(0, ...all.map(({ startS }) => startS[0] ?? 0));
  const toS = Math.max(1, ...all.map(({ startS, stepS }) => (startS.at(-1) ?? 0) + stepS));
  const group = createZoomGroup([fromS, toS], find('#timelines .toolbar'), Math.min(1, toS - fromS));
  const choice = document.querySelector<HTMLSelectElement>('#trial');
  const memoryMaxMB = Math.max(
    ...all.flatMap(({ columns }) => columns.memoryMB.filter((value) => value !== null)),
    1,
  );

  let clear: (() => void)[] = [];
  const draw = () => {
    for (const one of clear) one();
    clear = stacks.flatMap((stack, index) => {
      const wanted = Number(choice?.value ?? stack.timelines[0]?.trial);
      const timeline = stack.timelines.find(({ trial }) => trial === wanted);
      return [
        ...drawStack(find(`[data-timeline="${index}"]`), stack, timeline, group),
        ...drawMemory(find(`[data-memory="${index}"]`), timeline, memoryMaxMB, group),
      ];
    });
  };
  choice?.addEventListener('change', draw);
  draw();
}

function drawStack(
  place: HTMLElement,
  stack: PageStack,
  timeline: TrialTimeline | undefined,
  group: ZoomGroup,
): (() => void)[] {
  const text =
    timeline === undefined ? `${stack.name}: this trial was not run.` : timelineText(stack.name, timeline);
  find('.alternative', place).textContent = text;
  find('[role="img"]', place).setAttribute('aria-label', text);
  fillTable(find('details', place), timeline);
  return timelinePanels.flatMap((panel, index) => {
    const host = find(`[data-panel="${panel.id}"] .plot`, place);
    const readout = find(`[data-panel="${panel.id}"] .readout`, place);
    if (timeline === undefined) {
      host.textContent = 'Not run.';
      return [];
    }
    const withAxis = index === timelinePanels.length - 1;
    const where = { host, readout, heightPx: index === 0 ? 110 : 76, withAxis, yMax: null };
    return [drawPanel(timeline, panel, where, group)];
  });
}

function drawMemory(
  place: HTMLElement,
  timeline: TrialTimeline | undefined,
  yMax: number,
  group: ZoomGroup,
): (() => void)[] {
  const host = find('.plot', place);
  if (timeline === undefined) {
    host.textContent = 'Not run.';
    return [];
  }
  const where = { host, readout: find('.readout', place), heightPx: 88, withAxis: true, yMax };
  return [drawPanel(timeline, memoryPanel, where, group)];
}

/** The table behind a timeline follows the trial that is chosen. */
function fillTable(details: HTMLElement, timeline: TrialTimeline | undefined): void {
  const body = find('tbody', details);
  const rows = timeline === undefined ? [] : timelineTable(timeline).rows;
  body.replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement('tr');
      row.append(
        ...cells.map((cell, index) => {
          const element = document.createElement(index === 0 ? 'th' : 'td');
          if (index === 0) element.setAttribute('scope', 'row');
          element.textContent = cell;
          return element;
        }),
      );
      return row;
    }),
  );
}
