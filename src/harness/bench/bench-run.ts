/** Bench run: measures cases of all libraries side by side, round after round, with tinybench. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Bench } from 'tinybench';
import { heapBytes } from '../heap.ts';
import type { Peer } from '../peers/peer-stack.ts';
import { medianOf } from '../statistics.ts';
import { type BenchCase, bareOf, failingCalls, failingWarmUpCalls, type Library } from './bench-case.ts';
import { createSubject, failingWindowMs, type Subject } from './bench-subject.ts';

/** What was measured of one case of one library. */
export interface Measured {
  readonly case: BenchCase;
  readonly library: Library;
  /** One median for each round, ns for each call. */
  readonly roundsNs: readonly number[];
  /** Bytes of heap for each call that is pending; null where it is not measured. */
  readonly bytesPerPending: number | null;
}

/** Calls in a sample, unless they are slow or more are in flight. */
const batchMax = 300;
const batchMin = 4;
/** A sample of slow calls is made shorter, down to about this. */
const sampleMs = 5;
/** Each case has this long in each round, so that fast calls are measured as warm as slow ones; but so many samples at least. */
const roundMs = 20;
const samplesMin = 5;
/** Failing calls are counted by samples, not by time: between two of them the window has to empty. */
const failingSamples = 9;
const pendingCalls = 10_000;
const pendingTimes = 3;

interface Entry {
  readonly case: BenchCase;
  readonly library: Library;
  readonly bytesPerPending: number | null;
  /** One for all rounds: a stack lives long, and V8 is slow with new closures, however often it has seen their code. */
  readonly subject: Subject;
  /** Calls in a sample. */
  readonly batch: number;
  readonly roundsNs: number[];
}

/**
 * In each round every case is measured once, all libraries of a case directly after another and in turned order, so that a
 * machine that becomes faster or slower does so for all. A first round is thrown away.
 *
 * @param rounds At least 1.
 * @param onRound Hears of each round that begins, 0 for the one that is thrown away.
 */
export async function measure(
  cases: readonly BenchCase[],
  peers: readonly Peer[],
  rounds: number,
  onRound: (round: number) => void,
): Promise<Measured[]> {
  // The bare calls come too, whatever was asked for: everything is held against them.
  const all = [...new Set([...cases.map(bareOf), ...cases])];
  // Memory first: a collection takes long once the windows are full.
  const weighed: { case: BenchCase; peer: Peer | undefined; bytesPerPending: number | null }[] = [];
  for (const one of all) {
    for (const peer of [undefined, ...peers])
      weighed.push({ case: one, peer, bytesPerPending: await pendingBytesOf(one, peer) });
  }
  const groups: Entry[][] = [];
  for (const one of all) {
    const group: Entry[] = [];
    for (const { peer, bytesPerPending } of weighed.filter((entry) => entry.case === one)) {
      const subject = await createSubject(one, peer);
      if (subject === undefined) continue;
      const batch = await batchFor(one, subject);
      group.push({
        case: one,
        library: peer?.name ?? 'wavetank',
        bytesPerPending,
        subject,
        batch,
        roundsNs: [],
      });
    }
    groups.push(group);
  }
  for (let round = 0; round <= rounds; round += 1) {
    onRound(round);
    for (const group of groups) {
      const turned = group.map((_, place) => group[(place + round) % group.length] as Entry);
      await measureRound(turned, round > 0);
    }
  }
  const measured: Measured[] = [];
  for (const entry of groups.flat()) {
    await verify(entry);
    entry.subject.close();
    const { case: one, library, roundsNs, bytesPerPending } = entry;
    measured.push({ case: one, library, roundsNs, bytesPerPending });
  }
  return measured;
}

async function measureRound(entries: readonly Entry[], counts: boolean): Promise<void> {
  const isFailing = entries[0]?.case.situation === 'failing';
  const bench = new Bench({
    iterations: isFailing ? failingSamples : samplesMin,
    time: isFailing ? 0 : roundMs,
    warmupIterations: 2,
    warmupTime: 0,
    retainSamples: true,
    throws: true,
  });
  for (const { case: one, library, subject, batch } of entries) {
    const beforeEach = async (): Promise<void> => {
      // Timers come to their turn, which calls that are answered at once never let them; opossum's window needs that to roll.
      await sleep(2 * failingWindowMs);
      await makeCalls(subject, failingWarmUpCalls, 1);
    };
    bench.add(library, () => makeCalls(subject, batch, one.inFlight), isFailing ? { beforeEach } : {});
  }
  await bench.run();
  for (const { case: one, library, batch, roundsNs } of entries) {
    const result = bench.getTask(library)?.result;
    if (result?.state !== 'completed') throw new Error(`${one.name} of ${library} was not measured`);
    if (counts) roundsNs.push((medianOf([...(result.latency.samples ?? [])]) * 1e6) / batch);
  }
}

/** Whether calls still end as the row says: a window that has rolled on would open a breaker, or an open one would have closed. */
async function verify({ case: one, library, subject }: Entry): Promise<void> {
  const { reached, succeeded } = await subject.probe();
  const mustReach = one.situation !== 'rejected';
  const mustSucceed = one.situation === 'success' || one.situation === 'watched';
  if (reached !== mustReach || succeeded !== mustSucceed)
    throw new Error(`${one.name} of ${library} has not measured what it says`);
}

/** Calls in a sample: whole waves of those that are in flight together. */
async function batchFor({ inFlight, situation }: BenchCase, subject: Subject): Promise<number> {
  if (situation === 'failing') return failingCalls;
  if (inFlight > 1) return Math.max(1, Math.floor(batchMax / inFlight)) * inFlight;
  await makeCalls(subject, batchMin, 1);
  const startMs = performance.now();
  await makeCalls(subject, batchMin, 1);
  const callMs = (performance.now() - startMs) / batchMin;
  return Math.min(batchMax, Math.max(batchMin, Math.round(sampleMs / callMs)));
}

async function makeCalls({ call }: Subject, calls: number, inFlight: number): Promise<void> {
  if (inFlight === 1) {
    for (let made = 0; made < calls; made += 1) {
      try {
        await call();
      } catch {
        // A peer's way to say that a call failed.
      }
    }
    return;
  }
  const wave = new Array<Promise<unknown>>(inFlight);
  for (let made = 0; made < calls; made += inFlight) {
    for (let place = 0; place < inFlight; place += 1) wave[place] = call();
    for (const promise of wave) await promise;
  }
}

/** What a pending call keeps on the heap, the promise that its caller holds and that of the target included. */
async function pendingBytesOf(one: BenchCase, peer: Peer | undefined): Promise<number | null> {
  if ((one.situation !== 'success' && one.situation !== 'watched') || one.inFlight > 1) return null;
  const subject = await createSubject(one, peer);
  if (subject === undefined) return null;
  const nothing = Promise.resolve();
  const promises = new Array<Promise<unknown>>(pendingCalls).fill(nothing);
  const bytes: number[] = [];
  for (let time = 0; time <= pendingTimes; time += 1) {
    subject.answers = 'hang';
    const before = await heapBytes();
    for (let place = 0; place < pendingCalls; place += 1) promises[place] = subject.call();
    // The first time is not counted: what grows only once grows then.
    if (time > 0) bytes.push(((await heapBytes()) - before) / pendingCalls);
    subject.answerAll();
    await Promise.all(promises);
    void promises.fill(nothing);
  }
  subject.close();
  return Math.round(medianOf(bytes));
}
