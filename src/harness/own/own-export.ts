/** Own export: what a module of the user's exports by default, and which of the three kinds it is. */
import type { Layer } from '../../patterns/layer.ts';
import { confirmed, isOutcome } from '../../patterns/outcome.ts';
import type { CallWrapper } from '../../patterns/own-stack.ts';
import { compose } from '../../patterns/pipeline.ts';
import { plainCall } from '../../patterns/call.ts';
import { UsageError } from '../../patterns/usage-error.ts';
import { isResponse } from '../../patterns/http-send.ts';
import { errorText, valueText } from '../error-text.ts';

export type OwnExport =
  | { readonly kind: 'layers'; readonly layers: readonly Layer[] }
  | { readonly kind: 'function'; readonly wrapper: CallWrapper };

export type OwnKind = OwnExport['kind'];

const allowed = 'a layer, an array of layers, or a function (call) => Promise<Response>';

/**
 * Loads a module.
 *
 * @param kind What its check has found it to be.
 */
export async function loadOwn(file: string, url: string, kind: OwnKind): Promise<OwnExport> {
  const exported = await importDefault(file, url);
  if (kind === 'function') return { kind, wrapper: exported as CallWrapper };
  return { kind, layers: Array.isArray(exported) ? (exported as Layer[]) : [exported as Layer] };
}

/**
 * Loads a module, finds out what it exports and makes one call through it, of something that always succeeds. It may take
 * as long as it likes: whoever asks has to lose patience.
 *
 * @param file How the user calls it, for errors.
 * @param onLoaded Called between the two.
 * @throws {UsageError} One line, if it cannot be loaded or is nothing that can be measured.
 */
export async function checkOwn(file: string, url: string, onLoaded: () => void): Promise<OwnKind> {
  const exported = await importDefault(file, url);
  onLoaded();
  if (Array.isArray(exported)) {
    const other = exported.findIndex((one) => typeof one !== 'function');
    if (exported.length === 0 || other >= 0) {
      const what =
        exported.length === 0 ? 'an empty array' : `an array with ${valueText(exported[other])} in it`;
      throw new UsageError(`${file} exports ${what} by default; allowed: ${allowed}`);
    }
    await tryLayers(file, exported as Layer[]);
    return 'layers';
  }
  if (typeof exported !== 'function') {
    const what = exported === undefined ? 'nothing' : valueText(exported);
    throw new UsageError(`${file} exports ${what} by default; allowed: ${allowed}`);
  }
  // A layer takes what is behind it and returns a function. One that is called with a call returns a promise.
  let answer: unknown;
  try {
    answer = (exported as (...given: Parameters<CallWrapper>) => unknown)(
      () => Promise.resolve(Response.json({ paymentId: 'p' }, { status: 201 })),
      plainCall.cancellation,
    );
    if (typeof answer !== 'function') answer = await answer;
  } catch (error) {
    throw new UsageError(`${file} throws although its call succeeds: ${errorText(error)}`);
  }
  if (typeof answer === 'function') {
    await tryLayers(file, [exported as Layer]);
    return 'layers';
  }
  if (isResponse(answer)) return 'function';
  throw new UsageError(
    `${file} answers a call that succeeds with ${valueText(answer)}; allowed: the Response of a call`,
  );
}

async function importDefault(file: string, url: string): Promise<unknown> {
  try {
    return ((await import(url)) as { default?: unknown }).default;
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${errorText(error)}`);
  }
}

async function tryLayers(file: string, layers: readonly Layer[]): Promise<void> {
  let outcome: unknown;
  try {
    outcome = await compose(layers, () => Promise.resolve(confirmed({ paymentId: 'p' })))({}, plainCall);
  } catch (error) {
    throw new UsageError(`${file} throws although its call succeeds: ${errorText(error)}`);
  }
  if (!isOutcome(outcome)) {
    throw new UsageError(
      `${file} answers a call that succeeds with ${valueText(outcome)}; allowed: an outcome, which a layer passes on`,
    );
  }
}
