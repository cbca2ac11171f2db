/** Bench verdict: what was found, in one sentence. Pure. */
import { ratioText } from '../number-text.ts';
import { stackOf } from './bench-case.ts';
import type { BenchRow } from './bench-rows.ts';

/** About the largest stack that a peer has as well, where its calls succeed; undefined if there is none. */
export function benchVerdict(rows: readonly BenchRow[]): string | undefined {
  const plain = rows.filter((row) => row.name === stackOf(row.name));
  const ours = plain
    .filter((row) => row.ratioToBestPeer !== null)
    .reduce<BenchRow | undefined>(
      (most, row) => (most !== undefined && layersIn(most) >= layersIn(row) ? most : row),
      undefined,
    );
  if (ours?.ratioToBestPeer == null) return undefined;
  const peers = plain.filter((row) => row.name === ours.name && row.library !== 'wavetank');
  const [fastest] = peers.toSorted((a, b) => a.ns - b.ns);
  const [lightest] = peers.toSorted(
    (a, b) => (a.bytesPerPending ?? Infinity) - (b.bytesPerPending ?? Infinity),
  );
  const time = `A call through ${ours.name} takes ${ratioText(ours.ratioToBestPeer)} of ${fastest?.library ?? ''}'s time`;
  if (ours.bytesPerPending === null || lightest?.bytesPerPending == null) return `${time}.`;
  const share = ratioText(ours.bytesPerPending / lightest.bytesPerPending);
  return `${time}, and while it is pending ${share} of ${lightest === fastest ? 'its' : `${lightest.library}'s`} memory.`;
}

function layersIn({ name }: BenchRow): number {
  return name.split('+').length;
}
