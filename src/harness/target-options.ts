/** Target options: the one table of targets, what can be set on each, and how one is read from a command line. */
import type { OptionValue, ValueOf } from '../patterns/option.ts';
import {
  completeOptions,
  describeOptions,
  type OptionDescription,
  type OptionSpecs,
  readSettings,
  splitSettings,
} from '../patterns/option-set.ts';
import { choice, ms, msOrOff, share } from '../patterns/option.ts';
import { UsageError } from '../patterns/usage-error.ts';

const afterMs = ms(0, 0, 'how long it is well first');
const forMs = msOrOff('off', 1, 'how long that lasts; off: to the end');
const everyMs = ms(
  3000,
  100,
  'from the start of the window to the first death, and from due date to due date',
);

interface TargetEntry {
  /** One line. */
  readonly meaning: string;
  /** Whether a window in which it never dies shows nothing. */
  readonly dies: boolean;
  /** Whether a window in which no order is confirmed may be just what was asked for. */
  readonly mayConfirmNothing: boolean;
  /** Whether it has itself killed, so that a SIGKILL is its own doing. */
  readonly killsItself: boolean;
  readonly options: OptionSpecs;
}

const lives = { dies: false, mayConfirmNothing: false, killsItself: false } as const;
const mayConfirmNothing = { ...lives, mayConfirmNothing: true } as const;
const dies = { ...lives, dies: true } as const;
const killsItself = { ...dies, killsItself: true } as const;

/** Every target: the payment service with one way to fail. It is well in the warm-up; only `leaky` fails by its own time. */
export const targets = {
  healthy: { ...lives, meaning: 'never fails; the control', options: {} },
  leaky: {
    ...dies,
    meaning: 'leaks until it dies of it; see --leak, --idle-leak, --leak-kind, --heap and --memory-limit',
    options: {},
  },
  slow: {
    ...mayConfirmNothing,
    meaning: 'takes longer and longer for a payment',
    options: {
      latencyMs: ms(2000, 0, 'what a payment takes at last'),
      rampMs: ms(10_000, 0, 'how long it takes to get there, in a straight line from 0'),
    },
  },
  flaky: {
    ...mayConfirmNothing,
    meaning: 'answers some payments with 500, and does not charge them',
    options: { share: share(0.2, 0, 'share of payments that fail') },
  },
  hang: {
    ...mayConfirmNothing,
    meaning: 'takes payments and never answers them, nor charges',
    options: { afterMs, forMs },
  },
  refuse: {
    ...mayConfirmNothing,
    meaning: 'closes its port and every connection, though the process lives',
    options: { afterMs, forMs },
  },
  kill: {
    ...killsItself,
    meaning: 'is killed (SIGKILL) in the middle of a payment, between its claim and its charge',
    options: { everyMs },
  },
  stall: {
    ...killsItself,
    meaning: 'loses answers, freezes, is killed and comes back, once: whoever waits loses at the same moment',
    options: {
      afterMs: ms(3000, 0, 'how long it takes until it freezes'),
      forMs: ms(300, 0, 'how long it is frozen before it is killed'),
      downMs: ms(0, 0, 'how long it is down then at least, its start included'),
      lostShare: share(0, 0, 'share of charges whose answer is lost before it freezes'),
    },
  },
  'charge-then-die': {
    ...lives,
    meaning: 'charges, and its connection dies before the answer',
    options: { share: share(0.1, 0, 'share of charges whose answer is lost') },
  },
  flap: {
    ...lives,
    meaning: 'comes and goes',
    options: {
      upMs: ms(1000, 1, 'how long it is well'),
      downMs: ms(1000, 1, 'how long it is gone then'),
      how: choice('refuse', ['refuse', 'hang'], 'what callers meet while it is gone'),
    },
  },
  'slow-start': {
    ...killsItself,
    meaning: 'is killed as by kill, and is slow at first after each restart',
    options: {
      everyMs,
      latencyMs: ms(500, 0, 'what the first payment after a restart takes'),
      rampMs: ms(1500, 1, 'how long it takes to be as fast as ever, in a straight line'),
    },
  },
} as const satisfies Record<string, TargetEntry>;

export type TargetName = keyof typeof targets;

export const targetNames = Object.keys(targets) as readonly TargetName[];

/** The complete options of a target, by its name. */
export type TargetOptionsOf<Name extends TargetName> = {
  readonly [Key in keyof (typeof targets)[Name]['options']]: ValueOf<(typeof targets)[Name]['options'][Key]>;
};

/** How a target fails, as plain data: JSON keeps it as it is. */
export type FaultPlan = {
  [Name in TargetName]: { readonly name: Name; readonly options: TargetOptionsOf<Name> };
}[TargetName];

/** The name's entry, without the particular types of its options. */
export function targetEntry(name: TargetName): TargetEntry {
  return targets[name];
}

/** How long the service does nothing at all before it is killed. */
export function frozenMsOf(fault: FaultPlan): number {
  return fault.name === 'stall' ? fault.options.forMs : 0;
}

/**
 * Reads `NAME` or `NAME:option=value,option=value`; what is not named has its default.
 *
 * @throws {UsageError} One line that says what does not exist, comes twice or is out of range, and what is allowed.
 */
export function parseTarget(text: string): FaultPlan {
  const { name, settings } = splitSettings(text);
  const known = targetNames.find((target) => target === name);
  if (known === undefined) {
    throw new UsageError(
      `there is no target ${JSON.stringify(text)}; allowed: ${targetNames.join(', ')}, or the address of a service of your own, as http://127.0.0.1:3000`,
    );
  }
  return planOf(known, readSettings(known, targetEntry(known).options, settings));
}

/**
 * A target with the options that a program gives, and the defaults for the rest.
 *
 * @throws {UsageError} If an option does not exist or cannot have its value.
 */
export function faultPlan(name: TargetName, given: Readonly<Record<string, OptionValue>> = {}): FaultPlan {
  return planOf(name, completeOptions(name, targetEntry(name).options, given));
}

/** The options are those of this very target, which the compiler cannot see. */
function planOf(name: TargetName, options: Record<string, OptionValue>): FaultPlan {
  return { name, options: options as unknown } as FaultPlan;
}

/** As it is written on a command line, every option named: `kill:everyMs=3000`. */
export function targetText({ name, options }: FaultPlan): string {
  const settings = Object.entries(options).map(([option, value]) => `${option}=${String(value)}`);
  return settings.length === 0 ? name : `${name}:${settings.join(',')}`;
}

export interface TargetDescription {
  readonly name: TargetName;
  readonly meaning: string;
  readonly options: readonly OptionDescription[];
}

/** Every target with its options, for a help text. */
export function describeTargets(): readonly TargetDescription[] {
  return targetNames.map((name) => {
    const { meaning, options } = targetEntry(name);
    return { name, meaning, options: describeOptions(options) };
  });
}
