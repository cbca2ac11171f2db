/** Progress: what a person sees on stderr while a run goes on. Two live lines on a terminal, else one line per phase. */
import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import { numberText } from './number-text.ts';
import type { TrialProgress } from './trial-progress.ts';
import { sizeText } from './units.ts';

export interface ProgressView {
  readonly show: (progress: TrialProgress, sequence: number, total: number) => void;
  /** Takes the live lines away. */
  readonly end: () => void;
}

export const silentProgress: ProgressView = { show: () => undefined, end: () => undefined };

/** Chooses by what the stream is. */
export function createProgress(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? liveProgress(stream) : plainProgress(stream);
}

function plainProgress(stream: NodeJS.WriteStream): ProgressView {
  let last = '';
  return {
    show(progress, sequence, total) {
      const phase = `${sequence} ${progress.phase}`;
      if (phase !== last) stream.write(`${headText(progress, sequence, total)}\n`);
      last = phase;
    },
    end: () => undefined,
  };
}

function liveProgress(stream: NodeJS.WriteStream): ProgressView {
  const update = createLogUpdate(stream);
  return {
    show(progress, sequence, total) {
      update(liveLines(progress, sequence, total, stream.columns).join('\n'));
    },
    end() {
      update.clear();
      update.done();
    },
  };
}

/** The two live lines: phase and memory, flow and breaker. They fit into 80 columns unless the stack's name is long. */
export function liveLines(
  progress: TrialProgress,
  sequence: number,
  total: number,
  columns: number,
): readonly [string, string] {
  const { rates, breakerState } = progress;
  const head = headText(progress, sequence, total);
  if (progress.phase === 'starting') return [head, ''];
  const flow = [
    `offered ${numberText(rates.offeredPerS)}/s`,
    `confirmed ${numberText(rates.confirmedPerS)}/s`,
    `failed ${numberText(rates.failedPerS)}/s`,
    ...(breakerState === null ? [] : [`breaker ${stateText(breakerState)}`]),
  ];
  return [`${head}  ${memoryText(progress, columns)}`, flow.join('  ')];
}

function memoryText({ rssBytes, memoryFullBytes }: TrialProgress, columns: number): string {
  if (memoryFullBytes === null) return 'service not watched';
  if (rssBytes === null) return pc.red('service down');
  return `service ${barText(rssBytes / memoryFullBytes, columns < 100 ? 10 : 20)} ${sizeText(rssBytes)}`;
}

/** `[2/4] retry+breaker: measuring, 12 s left` */
function headText({ stack, phase, leftMs }: TrialProgress, sequence: number, total: number): string {
  const place = total === 1 ? '' : `[${sequence + 1}/${total}] `;
  const left = leftMs > 0 ? `, ${Math.round(leftMs / 1000)} s left` : '';
  return `${place}${pc.bold(stack)}: ${phase}${left}`;
}

function stateText(state: NonNullable<TrialProgress['breakerState']>): string {
  if (state === 'closed') return pc.green(state);
  return state === 'open' ? pc.red(state) : pc.yellow(state);
}

function barText(share: number, width: number): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * width);
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  return share > 0.85 ? pc.red(bar) : bar;
}
