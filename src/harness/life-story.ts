/** Life story: what a supervisor saw of its service, from the first start to the end, as plain data. All times are `monotonicMs()`. */
import { constants } from 'node:os';

/**
 * Why a process ended. `memory-limit`: the supervisor killed it; `killed`: its target is one that is killed; `stopped`:
 * the supervisor was asked to stop.
 */
export const exitReasons = ['out-of-memory', 'memory-limit', 'killed', 'crashed', 'stopped'] as const;

export type ExitReason = (typeof exitReasons)[number];

/** Whether a process's end is a death: every end is, a crash too, that the supervisor was not asked for. */
export function isDeath(reason: ExitReason): boolean {
  return reason !== 'stopped';
}

export interface StartRecord {
  /** When it was ready to serve. */
  readonly atMs: number;
  /** When its process was created. */
  readonly spawnedAtMs: number;
  readonly pid: number;
}

export interface ExitRecord {
  readonly atMs: number;
  readonly pid: number;
  /** Exit code; null when a signal ended the process. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The number that shells and containers show: the exit code, or 128 + the signal's number. */
  readonly shownCode: number;
  readonly reason: ExitReason;
  /** Resident memory when last seen alive; null if it died before anybody looked. */
  readonly rssBytes: number | null;
  /** From ready to death; 0 if it never was ready. */
  readonly uptimeMs: number;
}

export interface TargetSample {
  readonly atMs: number;
  /** Null when there is no process. */
  readonly rssBytes: number | null;
  /** 100 is one core; null when there is no process. */
  readonly cpuPercent: number | null;
  /** Whether it was ready to serve. */
  readonly up: boolean;
}

export interface LifeStory {
  readonly starts: readonly StartRecord[];
  readonly exits: readonly ExitRecord[];
  readonly samples: readonly TargetSample[];
  /** Torn lines that the service found at the end of its ledger when it started, and cut off. */
  readonly tornLines: number;
  /** Why the service could not write its ledger, the first time; null: it always could. */
  readonly ledgerError: string | null;
}

/** How much of the time from `fromMs` to `toMs` nobody was ready to serve. */
export function downMs(story: Pick<LifeStory, 'starts' | 'exits'>, fromMs: number, toMs: number): number {
  let upMs = 0;
  for (const start of story.starts) {
    const exit = story.exits.find((candidate) => candidate.pid === start.pid && candidate.atMs >= start.atMs);
    const from = Math.max(start.atMs, fromMs);
    const to = Math.min(exit?.atMs ?? Infinity, toMs);
    upMs += Math.max(0, to - from);
  }
  return Math.max(0, toMs - fromMs - upMs);
}

/** 137 for SIGKILL, 134 for SIGABRT; the code itself where there was no signal. */
export function shownCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/**
 * What a process's end means. An end counts as out of memory only if V8 said so on stderr: SIGABRT alone is also
 * how failed assertions end.
 */
export function exitReason(end: {
  readonly signal: string | null;
  readonly stderr: string;
  readonly stopping: boolean;
  readonly killedAtLimit: boolean;
  /** Whether its target is one that is killed, and faults have begun. */
  readonly killedByFault: boolean;
}): ExitReason {
  if (end.killedAtLimit) return 'memory-limit';
  if (end.killedByFault && end.signal === 'SIGKILL' && !end.stopping) return 'killed';
  if (end.signal !== null && end.stderr.includes('heap out of memory')) return 'out-of-memory';
  return end.stopping ? 'stopped' : 'crashed';
}
