/** Bench subject: one case of one library, ready to be called. */
import { breaker } from '../../patterns/breaker.ts';
import { breakerCount } from '../../patterns/breaker-count.ts';
import { bulkhead } from '../../patterns/bulkhead.ts';
import { burn } from '../../patterns/burn.ts';
import type { Layer } from '../../patterns/layer.ts';
import type { LayerName } from '../../patterns/options.ts';
import { confirmed, failed } from '../../patterns/outcome.ts';
import { pipeline } from '../../patterns/pipeline.ts';
import { retry, retryBlind, retryBudget } from '../../patterns/retry.ts';
import { timeout } from '../../patterns/timeout.ts';
import type { Peer, PeerLayer, PeerSettings } from '../peers/peer-stack.ts';
import { type BenchCase, fullWindowCalls, type Situation } from './bench-case.ts';

/** How the target answers. `hang`: when `Subject.answerAll` is called. */
type Answer = 'success' | 'failure' | 'hang';

export interface Subject {
  /** Makes one call. A peer's failing call rejects; ours never does. */
  readonly call: () => Promise<unknown>;
  /** How the target answers from now on. */
  answers: Answer;
  /** Ends all calls that hang. */
  answerAll(): void;
  /** Makes one call and says whether its target was called, and whether it succeeded. */
  probe(): Promise<{ readonly reached: boolean; readonly succeeded: boolean }>;
  close(): void;
}

/** What one library builds: a call through its layers, and what its target answers with. */
interface Build {
  readonly call: (attempt: () => Promise<unknown>) => () => Promise<unknown>;
  readonly success: unknown;
  readonly failure: () => Promise<unknown>;
  readonly close: () => void;
}

/** The same numbers for every library; opossum's own window, where nothing else is said. */
function benchSettings(situation: Situation): PeerSettings {
  return {
    retriesMax: 3,
    baseMs: 100,
    capMs: 2000,
    windowMs: 10_000,
    failureRate: 0.999,
    callsMin: 10,
    openMs: 3_600_000,
    concurrentMax: 100_000,
    queueMax: 0,
    limitMs: 600_000,
    // The waits between attempts are not what is measured.
    isRetryable: () => false,
    ...changes[situation],
  };
}

/** As short as our breaker allows: it is over before the next sample of failing calls if that waits so long. */
export const failingWindowMs = 10;

const changes: Readonly<Record<Situation, Partial<PeerSettings>>> = {
  success: {},
  watched: {},
  // The first failure opens it.
  rejected: { failureRate: 0.5, callsMin: 1 },
  // So short that it is empty before each sample, and never enough calls to open it.
  failing: { windowMs: failingWindowMs, callsMin: 1_000_000 },
  // So long that nothing falls out of it within an hour; what it is filled with keeps it from opening.
  'full window': { windowMs: 3_600_000 },
};

/** Undefined if the library has no such stack. @param peer Undefined: wavetank. */
export async function createSubject(
  { layers, situation }: BenchCase,
  peer: Peer | undefined,
): Promise<Subject | undefined> {
  // A bulkhead alone turns away when it is full; every other stack because its breaker is open.
  const isFull = situation === 'rejected' && layers.join() === 'bulkhead';
  const settings = { ...benchSettings(situation), ...(isFull && { concurrentMax: 1 }) };
  if (peer !== undefined && situation === 'watched') return undefined;
  const build =
    peer === undefined
      ? ourBuild(layers, settings, situation === 'watched' ? settings.limitMs : 'off')
      : peerBuild(peer, layers, settings);
  if (build === undefined) return undefined;
  const subject = subjectOf(build);
  const fill = async (calls: number, answers: Answer): Promise<void> => {
    subject.answers = answers;
    for (let made = 0; made < calls; made += 1) await settled(subject.call());
  };
  switch (situation) {
    case 'success':
    case 'watched':
      break;
    case 'rejected':
      if (isFull) {
        subject.answers = 'hang';
        void settled(subject.call());
      } else {
        await fill(1, 'failure');
      }
      subject.answers = 'success';
      break;
    case 'failing':
      subject.answers = 'failure';
      break;
    case 'full window':
      await fill(fullWindowCalls, 'success');
      subject.answers = 'failure';
      break;
  }
  return subject;
}

function settled(call: Promise<unknown>): Promise<void> {
  return call.then(
    () => undefined,
    () => undefined,
  );
}

function subjectOf({ call, success, failure, close }: Build): Subject {
  let gate = createGate();
  // One for all: what is measured of a call that hangs is its own promise, not what makes it hang.
  const succeed = (): unknown => success;
  let attempts = 0;
  const subject: Subject = {
    call: call(() => {
      attempts += 1;
      switch (subject.answers) {
        case 'success':
          return Promise.resolve(success);
        case 'failure':
          return failure();
        case 'hang':
          return gate.opened.then(succeed);
      }
    }),
    answers: 'success',
    answerAll() {
      gate.open();
      gate = createGate();
    },
    async probe() {
      const before = attempts;
      const succeeded = await subject.call().then(
        (outcome) => outcome === success,
        () => false,
      );
      return { reached: attempts > before, succeeded };
    },
    close() {
      subject.answerAll();
      close();
    },
  };
  return subject;
}

/** Holds up all who wait for it until somebody opens it. */
function createGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function ourBuild(names: readonly LayerName[], settings: PeerSettings, breakerSlowMs: number | 'off'): Build {
  const send = (attempt: () => Promise<unknown>) => {
    if (names.length === 0) return attempt;
    const client = pipeline(
      names.map((name) => ourLayer(name, settings, breakerSlowMs)),
      attempt as () => Promise<ReturnType<typeof confirmed>>,
    );
    return () => client(undefined);
  };
  const failure = failed('http-5xx');
  return {
    call: send,
    success: confirmed('done'),
    failure: () => Promise.resolve(failure),
    close: () => undefined,
  };
}

function ourLayer(name: LayerName, settings: PeerSettings, breakerSlowMs: number | 'off'): Layer {
  const { retriesMax, baseMs, capMs, windowMs, failureRate, callsMin, openMs } = settings;
  switch (name) {
    case 'retry':
      return retry({ retriesMax, baseMs, capMs });
    case 'retry-blind':
      // It would wait before it tries a failed call again, which is not what is measured.
      return retryBlind({ retriesMax: 0 });
    case 'retry-budget':
      return retryBudget({ retriesMax, baseMs, capMs });
    case 'breaker':
      return breaker({ windowMs, failureRate, callsMin, openMs, slowMs: breakerSlowMs });
    case 'breaker-count':
      return breakerCount({ failuresMax: callsMin === 1 ? 1 : 1_000_000, openMs });
    case 'bulkhead':
      return bulkhead({ concurrentMax: settings.concurrentMax, queueMax: settings.queueMax });
    case 'burn':
      return burn({ forMs: 0 });
    case 'timeout':
      return timeout({ limitMs: settings.limitMs });
  }
}

const peerLayers: ReadonlySet<string> = new Set<PeerLayer>(['retry', 'breaker', 'bulkhead', 'timeout']);

function peerBuild(peer: Peer, names: readonly LayerName[], settings: PeerSettings): Build | undefined {
  if (names.length === 0 || !names.every((name) => peerLayers.has(name))) return undefined;
  const stack = peer.build(names as readonly PeerLayer[], settings);
  if (stack === undefined) return undefined;
  // Made once: a stack trace for each failure would cost more than many a layer, and belongs to the caller.
  const error = new Error('failed');
  return {
    call: (attempt) => () => stack.call(attempt),
    success: 'done',
    failure: () => Promise.reject(error),
    close: () => {
      stack.close();
    },
  };
}
