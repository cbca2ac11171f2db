/** Zoom: charts that always show the same stretch of their x axis, moved by dragging in any of them or by buttons. */
import type uPlot from 'uplot';
import { findAll } from './dom.ts';

export type Stretch = readonly [from: number, to: number];

export interface ZoomGroup {
  readonly shown: Stretch;
  /** Takes a chart into the group and shows it the group's stretch. */
  add(chart: uPlot): void;
  /** Lets go of a chart that is about to be destroyed. */
  remove(chart: uPlot): void;
  show(stretch: Stretch): void;
}

/**
 * @param whole What is there to see.
 * @param toolbar Holds buttons with `data-zoom`: `in`, `out`, `back`, `on`, `whole`.
 * @param spanMin The shortest stretch that can be shown.
 */
export function createZoomGroup(whole: Stretch, toolbar: ParentNode, spanMin: number): ZoomGroup {
  const charts = new Set<uPlot>();
  let shown = whole;
  const apply = (chart: uPlot) => {
    chart.setScale('x', { min: shown[0], max: shown[1] });
  };
  const group: ZoomGroup = {
    get shown() {
      return shown;
    },
    add(chart) {
      charts.add(chart);
      apply(chart);
    },
    remove(chart) {
      charts.delete(chart);
    },
    show(stretch) {
      shown = within(stretch, whole, spanMin);
      for (const chart of charts) apply(chart);
      for (const button of findAll('[data-zoom]', toolbar)) {
        button.setAttribute(
          'aria-disabled',
          String(!canMove(button.dataset.zoom ?? '', shown, whole, spanMin)),
        );
      }
    },
  };
  for (const button of findAll('[data-zoom]', toolbar)) {
    button.addEventListener('click', () => {
      group.show(button.dataset.zoom === 'whole' ? whole : moved(button.dataset.zoom ?? '', shown));
    });
  }
  group.show(whole);
  return group;
}

/** What uPlot needs to hand dragging and double clicks to the group. */
export function zoomOptions(group: () => ZoomGroup): Pick<uPlot.Options, 'cursor' | 'hooks'> {
  return {
    cursor: {
      drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: {
        dblclick: () => () => {
          group().show([-Infinity, Infinity]);
          return null;
        },
      },
    },
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width <= 0) return;
          const stretch: Stretch = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          group().show(stretch);
        },
      ],
    },
  };
}

function moved(how: string, [from, to]: Stretch): Stretch {
  const span = to - from;
  switch (how) {
    case 'in':
      return [from + span / 4, to - span / 4];
    case 'out':
      return [from - span / 2, to + span / 2];
    case 'back':
      return [from - span / 4, to - span / 4];
    case 'on':
      return [from + span / 4, to + span / 4];
    default:
      return [from, to];
  }
}

/** Keeps a stretch inside the whole: moved where it looks over the edge, cut where it is longer. */
function within([from, to]: Stretch, whole: Stretch, spanMin: number): Stretch {
  const span = Math.min(Math.max(to - from, spanMin), whole[1] - whole[0]);
  const middle = Number.isFinite(to - from) ? (from + to) / 2 : (whole[0] + whole[1]) / 2;
  const start = Math.min(Math.max(middle - span / 2, whole[0]), whole[1] - span);
  return [start, start + span];
}

function canMove(how: string, shown: Stretch, whole: Stretch, spanMin: number): boolean {
  const nearly = (a: number, b: number) => Math.abs(a - b) < 1e-9;
  switch (how) {
    case 'in':
      return shown[1] - shown[0] > spanMin + 1e-9;
    case 'back':
      return !nearly(shown[0], whole[0]);
    case 'on':
      return !nearly(shown[1], whole[1]);
    default:
      return !nearly(shown[0], whole[0]) || !nearly(shown[1], whole[1]);
  }
}
