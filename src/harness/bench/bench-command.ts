/** Bench command: finds the peers, measures, and writes what is asked for. */
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../patterns/usage-error.ts';
import { describeHost } from '../host.ts';
import { installLine, loadPeer, type Peer, peerNames } from '../peers/peer-stack.ts';
import { pageAssets } from '../report/page-assets.ts';
import { makeFolder, writeWhole } from '../run-store.ts';
import type { BenchOptions } from './bench-options.ts';
import { benchHtml } from './bench-html.ts';
import type { BenchResult } from './bench-result.ts';
import { benchRows } from './bench-rows.ts';
import { measure } from './bench-run.ts';
import { benchSvg } from './bench-svg.ts';

/**
 * Measures. The folder is made, and what would keep it from being written is found, before that.
 *
 * @param say Hears, line by line, how far it is and what is left out.
 */
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
  return {
    schema: 1,
    startedAt,
    host,
    peers: Object.fromEntries(peers.map(({ name, version }) => [name, version])),
    rounds,
    rows: benchRows(measured),
  };
}

/** Writes the files of a bench into a folder that is there. */
export function writeBench(out: string, result: BenchResult): void {
  writeWhole(path.join(out, 'bench.json'), `${JSON.stringify(result)}\n`);
  writeWhole(path.join(out, 'bench.svg'), benchSvg(result));
  writeWhole(path.join(out, 'report.html'), benchHtml(result, pageAssets().style));
}

function makeOutFolder(out: string): void {
  try {
    makeFolder(out);
    // Only who has made something there knows that it can.
    rmSync(mkdtempSync(path.join(out, '.wavetank-')), { recursive: true });
  } catch (error) {
    throw new UsageError(`--out ${out}: cannot make a folder there (${(error as Error).message})`);
  }
}
