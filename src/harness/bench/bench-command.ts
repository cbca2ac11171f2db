/** Bench command: finds the peers, measures, and writes what is asked for. */
import path from 'node:path';
import { UsageError } from '../../patterns/usage-error.ts';
import { describeHost } from '../host.ts';
import {
  installLine,
  loadPeer,
  type Peer,
  type PeerName,
  peerNames,
  peerVersions,
} from '../peers/peer-stack.ts';
import type { Result } from '../result.ts';
import { makeFolder, writeWhole } from '../run-store.ts';
import type { BenchOptions } from './bench-options.ts';
import { type BenchRow, benchRows } from './bench-rows.ts';
import { measure } from './bench-run.ts';
import { benchSvg } from './bench-svg.ts';

/** What `bench` prints with `--json`. */
export interface BenchResult {
  readonly schema: 1;
  readonly startedAt: string;
  readonly host: Result['host'];
  /** The versions that were compared with; a peer that is not there is not installed. */
  readonly peers: Readonly<Partial<Record<PeerName, string>>>;
  readonly rounds: number;
  readonly rows: readonly BenchRow[];
}

/** @param say Hears, line by line, how far it is and what is left out. */
export async function runBench(
  { cases, rounds, out }: BenchOptions,
  say: (line: string) => void,
): Promise<BenchResult> {
  const startedAt = new Date().toISOString();
  const host = describeHost();
  // Before anything is measured: the figures must not be lost for a folder that cannot be made.
  if (out !== null) makeOutFolder(out);
  const peers: Peer[] = [];
  for (const name of peerNames) {
    const peer = loadPeer(name);
    if (peer === undefined) say(`left out: ${installLine(name)}`);
    else peers.push(peer);
  }
  const measured = await measure(cases, peers, rounds, (round) => {
    say(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
  });
  const result: BenchResult = {
    schema: 1,
    startedAt,
    host,
    peers: Object.fromEntries(peers.map(({ name }) => [name, peerVersions[name]])),
    rounds,
    rows: benchRows(measured),
  };
  if (out !== null) {
    writeWhole(path.join(out, 'bench.json'), `${JSON.stringify(result)}\n`);
    writeWhole(path.join(out, 'bench.svg'), benchSvg(result));
  }
  return result;
}

function makeOutFolder(out: string): void {
  try {
    makeFolder(out);
  } catch (error) {
    throw new UsageError(`--out ${out}: cannot make a folder there (${(error as Error).message})`);
  }
}
