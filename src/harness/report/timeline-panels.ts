/** Timeline panels: which columns of a trial's timeline are drawn together, with their words, units and looks. */
import type { TimelineColumn } from './page-data.ts';

export interface PanelLine {
  readonly column: TimelineColumn;
  readonly label: string;
  /** Name of the colour in the style sheet. */
  readonly colour: string;
  /** In px: drawn, not drawn, ... */
  readonly dash: readonly number[];
  /** In px. */
  readonly width: number;
}

export interface Panel {
  readonly id: string;
  /** With its unit. */
  readonly title: string;
  readonly unit: string;
  readonly logarithmic: boolean;
  readonly lines: readonly PanelLine[];
}

const line = (
  column: TimelineColumn,
  label: string,
  colour: string,
  dash: readonly number[] = [],
  width = 1.75,
): PanelLine => ({ column, label, colour, dash, width });

export const memoryPanel: Panel = {
  id: 'memory',
  title: 'Memory of the payment service, MB',
  unit: 'MB',
  logarithmic: false,
  lines: [line('memoryMB', 'resident memory', '--memory')],
};

/** From top to bottom. */
export const timelinePanels: readonly Panel[] = [
  {
    id: 'orders',
    title: 'Orders per second',
    unit: '/s',
    logarithmic: false,
    lines: [
      line('offeredPerS', 'offered', '--offered', [3, 3], 1.25),
      line('confirmedPerS', 'confirmed', '--confirmed'),
      line('failedPerS', 'failed', '--failed', [7, 3]),
    ],
  },
  {
    id: 'response',
    title: 'Order response p99, ms',
    unit: 'ms',
    logarithmic: true,
    lines: [line('responseP99Ms', 'response p99', '--response')],
  },
  {
    id: 'in-flight',
    title: 'Requests in flight in the gateway',
    unit: '',
    logarithmic: false,
    lines: [line('inFlight', 'in flight', '--response')],
  },
  memoryPanel,
  {
    id: 'loop',
    title: 'Event-loop delay p99, ms',
    unit: 'ms',
    logarithmic: true,
    lines: [
      line('loopDelayP99Ms', 'gateway', '--gateway'),
      line('canaryDelayP99Ms', 'canary (noise of the host)', '--canary', [3, 3]),
    ],
  },
];
