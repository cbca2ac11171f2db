/** Bench result: what `bench` prints with `--json` and writes to `bench.json`. */
import type { PeerName } from '../peers/peer-stack.ts';
import type { Result } from '../result.ts';
import type { BenchRow } from './bench-rows.ts';

export interface BenchResult {
  readonly schema: 1;
  readonly startedAt: string;
  readonly host: Result['host'];
  /** The versions that were measured; a peer that is not there is not installed. */
  readonly peers: Readonly<Partial<Record<PeerName, string>>>;
  readonly rounds: number;
  readonly rows: readonly BenchRow[];
}
