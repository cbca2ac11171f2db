/** Side run: one trial of one side, measured by its own code in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../patterns/usage-error.ts';
import { MachineError } from '../machine-error.ts';
import { slaMsOf } from '../metrics.ts';
import type { Trial } from '../result.ts';
import { readResult } from '../run-store.ts';
import { isStartGateMessage, type StartGateMessage, startGateVariable } from '../start-gate.ts';
import { trialMaxMs } from './check-defaults.ts';
import type { Rendezvous } from './rendezvous.ts';

export interface SideRun {
  /** How the side is named in errors. */
  readonly label: string;
  /** See `runCommandIn`. */
  readonly command: readonly string[];
  /** Where the side's code lies. */
  readonly dir: string;
  /** Flags of `run`, for one stack and one trial. */
  readonly flags: readonly string[];
  /** Folder for what is not kept. */
  readonly scratchDir: string;
}

export interface SideTrial {
  readonly trial: Trial;
  /** The run's `--sla`. */
  readonly slaMs: number;
}

/** A run that has not ended by then is stuck. */
const limitMs = trialMaxMs + 60_000;
/** An interrupted run ends within its drain. */
const killAfterMs = 10_000;

/**
 * Measures. Null: interrupted.
 *
 * @param together Where it waits for the run that is to measure at the same time, once all its parts are ready.
 * @throws {UsageError} If the side does not know a flag.
 * @throws {MachineError} If it cannot be measured; both in one line that names the side.
 */
export async function measureSide(
  side: SideRun,
  interrupt: AbortSignal,
  together?: Rendezvous,
): Promise<SideTrial | null> {
  const interrupted = () => interrupt.aborted;
  if (interrupted()) return null;
  const out = mkdtempSync(path.join(side.scratchDir, 'run-'));
  try {
    const { code, signal, stderr } = await runToItsEnd(side, out, interrupt, together);
    if (interrupted()) return null;
    const said = stderr.trim().split('\n').at(-1) ?? '';
    if (code === 2) throw new UsageError(`${side.label}: ${said.replace(/^wavetank: /, '')}`);
    if (code !== 0 && code !== 3) {
      throw new MachineError(
        `${side.label}: run ended with ${signal ?? `exit code ${code ?? '?'}`} (${said})`,
      );
    }
    const [run = ''] = readdirSync(out);
    const result = readResult(path.join(out, run));
    const [trial] = result.stacks.flatMap((stack) => stack.trials);
    if (trial === undefined) throw new MachineError(`${side.label}: run left no trial behind`);
    return { trial, slaMs: slaMsOf(result) };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

async function runToItsEnd(
  { command, dir, flags }: SideRun,
  out: string,
  interrupt: AbortSignal,
  together: Rendezvous | undefined,
): Promise<RunEnd> {
  const [program = '', ...first] = command;
  const child = spawn(program, [...first, ...flags, '--quiet', '--no-report', '--out', out], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe', ...(together === undefined ? [] : ['ipc' as const])],
    env: together === undefined ? process.env : { ...process.env, [startGateVariable]: '1' },
  });
  child.on('message', (message) => {
    if (!isStartGateMessage(message, 'ready')) return;
    void together?.arrive().then(() => {
      if (child.connected) child.send({ type: 'go' } satisfies StartGateMessage, () => undefined);
    });
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192);
  });
  let killer: NodeJS.Timeout | undefined;
  const ended = { byLimit: false };
  const end = () => {
    child.kill('SIGTERM');
    killer ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  };
  const limit = setTimeout(() => {
    ended.byLimit = true;
    end();
  }, limitMs);
  interrupt.addEventListener('abort', end, { once: true });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal, stderr: ended.byLimit ? `it had not ended after ${limitMs / 1000} s` : stderr };
  } catch (error) {
    throw new MachineError(`${program} cannot be started (${(error as Error).message})`);
  } finally {
    clearTimeout(limit);
    clearTimeout(killer);
    interrupt.removeEventListener('abort', end);
    together?.leave();
  }
}
