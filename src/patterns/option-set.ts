/** Option set: the options that belong to one thing, such as a layer, a target or a rate limit, by their names. */
import {
  allowed,
  checkOption,
  type OptionSpec,
  type OptionValue,
  readOption,
  type ValueOf,
} from './option.ts';
import { UsageError } from './usage-error.ts';

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** The values of all options of a set. */
export type OptionsIn<Specs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> };

/**
 * How one of the options is declared.
 *
 * @param owner What they belong to, as it is called in the error: `retry`.
 * @throws {UsageError} If there is none of that name.
 */
export function specIn(owner: string, specs: OptionSpecs, name: string): OptionSpec {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec !== undefined) return spec;
  const names = Object.keys(specs);
  throw new UsageError(
    `${owner} has no option ${JSON.stringify(name)}; allowed: ${names.length === 0 ? 'none' : names.join(', ')}`,
  );
}

/**
 * All options: what a program gives, and the default for the rest.
 *
 * @throws {UsageError} If it is no object, or an option does not exist or cannot have its value.
 */
export function completeOptions<Specs extends OptionSpecs>(
  owner: string,
  specs: Specs,
  given: { readonly [Name in keyof Specs]?: unknown } | null,
): OptionsIn<Specs> {
  // `pipeline([retry], send)` gives the send to `retry` for its options, where `retry()` was meant.
  if (typeof given !== 'object' || given === null) {
    const what: string = typeof given;
    throw new UsageError(
      `${owner} takes its options as an object, not as ${what === 'object' ? 'null' : `a ${what}`}; a layer is made by ${owner}()`,
    );
  }
  for (const name of Object.keys(given)) specIn(owner, specs, name);
  const values = Object.entries(specs).map(([name, spec]) => {
    const value = given[name];
    return [name, value === undefined ? spec.default : checkOption(`${owner}.${name}`, spec, value)] as const;
  });
  return Object.fromEntries(values) as OptionsIn<Specs>;
}

/** `NAME` or `NAME:option=value,...` as its two parts; undefined: there is no second. */
export function splitSettings(text: string): {
  readonly name: string;
  readonly settings: string | undefined;
} {
  const [, name = '', settings] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  return { name: name.trim(), settings };
}

/**
 * All options: what `option=value,option=value` says, and the default for the rest.
 *
 * @param settings Undefined: nothing but defaults.
 * @throws {UsageError} If an option does not exist, comes twice or cannot have its value.
 */
export function readSettings(
  owner: string,
  specs: OptionSpecs,
  settings: string | undefined,
): Record<string, OptionValue> {
  const given: Record<string, OptionValue> = {};
  for (const setting of settings?.split(',') ?? []) {
    const [, option = '', value] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
    if (value === undefined) {
      throw new UsageError(
        `${JSON.stringify(setting.trim())} is no setting of ${owner}; allowed: option=value, separated by commas`,
      );
    }
    const name = option.trim();
    const spec = specIn(owner, specs, name);
    if (Object.hasOwn(given, name)) throw new UsageError(`${owner}.${name} comes twice; name it once`);
    given[name] = readOption(`${owner}.${name}`, spec, value);
  }
  return completeOptions(owner, specs, given);
}

export interface OptionDescription {
  readonly name: string;
  readonly kind: OptionSpec['kind'];
  readonly default: OptionValue;
  /** What it may be, with the unit: `1 to 60000 ms`. */
  readonly allowed: string;
  readonly meaning: string;
}

/** For a help text. */
export function describeOptions(specs: OptionSpecs): readonly OptionDescription[] {
  return Object.entries(specs).map(([name, spec]) => ({
    name,
    kind: spec.kind,
    default: spec.default,
    allowed: allowed(spec),
    meaning: spec.meaning,
  }));
}
