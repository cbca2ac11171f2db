/** Option: how an option of a layer is declared, read from a command line, and checked. */
import { UsageError } from './usage-error.ts';

export type OptionValue = number | string | boolean;

interface Described {
  /** One line, with what happens at its extremes. */
  readonly meaning: string;
}

/** Milliseconds. With `off`, the word `off` stands for "never": JSON has no infinity. */
export interface MsOption extends Described {
  readonly kind: 'ms';
  readonly default: number | 'off';
  readonly min: number;
  readonly max: number;
  readonly off: boolean;
}

/** A whole number of things. */
export interface CountOption extends Described {
  readonly kind: 'count';
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** A part of a whole, 0 to 1. */
export interface ShareOption extends Described {
  readonly kind: 'share';
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export interface FlagOption extends Described {
  readonly kind: 'flag';
  readonly default: boolean;
}

export interface ChoiceOption<Choice extends string = string> extends Described {
  readonly kind: 'choice';
  readonly default: Choice;
  readonly choices: readonly Choice[];
}

export type OptionSpec = MsOption | CountOption | ShareOption | FlagOption | ChoiceOption;

const hourMs = 3_600_000;

export const ms = (value: number, min: number, meaning: string) =>
  ({ kind: 'ms', default: value, min, max: hourMs, off: false, meaning }) as const;
export const msOrOff = (value: number | 'off', min: number, meaning: string) =>
  ({ kind: 'ms', default: value, min, max: hourMs, off: true, meaning }) as const;
export const count = (value: number, min: number, meaning: string) =>
  ({ kind: 'count', default: value, min, max: 1_000_000, meaning }) as const;
export const share = (value: number, min: number, meaning: string) =>
  ({ kind: 'share', default: value, min, max: 1, meaning }) as const;
export const flag = (value: boolean, meaning: string): FlagOption => ({
  kind: 'flag',
  default: value,
  meaning,
});
export const choice = <Choice extends string>(
  value: Choice,
  choices: readonly Choice[],
  meaning: string,
): ChoiceOption<Choice> => ({ kind: 'choice', default: value, choices, meaning });

/** The type of an option's value. */
export type ValueOf<Spec> =
  Spec extends ChoiceOption<infer Choice>
    ? Choice
    : Spec extends FlagOption
      ? boolean
      : Spec extends MsOption & { readonly off: true }
        ? number | 'off'
        : number;

/** What a value may be, in words: `1 to 60000 ms`. */
export function allowed(spec: OptionSpec): string {
  switch (spec.kind) {
    case 'ms':
      return `${spec.min} to ${spec.max} ms${spec.off ? ', or off' : ''}`;
    case 'count':
      return `a whole number from ${spec.min} to ${spec.max}`;
    case 'share':
      return `${spec.min} to ${spec.max}`;
    case 'flag':
      return 'true or false';
    case 'choice':
      return spec.choices.join(', ');
  }
}

/** Whether a value is one that the option may have. */
export function isAllowed(spec: OptionSpec, value: unknown): value is OptionValue {
  switch (spec.kind) {
    case 'ms':
      return (spec.off && value === 'off') || inRange(spec, value);
    case 'count':
      return Number.isInteger(value) && inRange(spec, value);
    case 'share':
      return inRange(spec, value);
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return typeof value === 'string' && spec.choices.includes(value);
  }
}

const msPerUnit = { '': 1, ms: 1, s: 1000, m: 60_000 } as const;

/**
 * Reads a value as it stands on a command line. Milliseconds may carry a unit: `100`, `100ms`, `1.5s`, `2m`.
 *
 * @param name How the option is called in the error: `retry.baseMs`.
 * @throws {UsageError} If the option cannot have that value.
 */
export function readOption(name: string, spec: OptionSpec, text: string): OptionValue {
  const value = parse(spec, text.trim());
  if (!isAllowed(spec, value)) throw new UsageError(`${name} is ${quoted(text)}; allowed: ${allowed(spec)}`);
  return value;
}

/**
 * Checks a value that a program gives.
 *
 * @throws {UsageError} If the option cannot have that value.
 */
export function checkOption(name: string, spec: OptionSpec, value: unknown): OptionValue {
  if (!isAllowed(spec, value)) throw new UsageError(`${name} is ${quoted(value)}; allowed: ${allowed(spec)}`);
  return value;
}

/** The value that the text means, or undefined if it means none. */
function parse(spec: OptionSpec, text: string): unknown {
  switch (spec.kind) {
    case 'ms': {
      const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|)$/.exec(text) ?? [];
      if (digits === undefined) return text;
      return Number(digits) * msPerUnit[unit as keyof typeof msPerUnit];
    }
    case 'count':
    case 'share':
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'choice':
      return text;
  }
}

function inRange(spec: { readonly min: number; readonly max: number }, value: unknown): boolean {
  return typeof value === 'number' && value >= spec.min && value <= spec.max;
}

/** As it was given, on one line. */
function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
