/** Flag words: flags of `run` as they are written, and as they are handed over. Pure. */
import { UsageError } from '../../patterns/usage-error.ts';

export function patternFlags(pattern: string, set: readonly string[]): string[] {
  return ['--pattern', pattern, ...set.flatMap((setting) => ['--set', setting])];
}

/**
 * Splits flags at spaces, as a shell does; quotes hold together what stands between them.
 *
 * @throws {UsageError} If a quote does not end.
 */
export function words(text: string): string[] {
  const quoted = /'([^']*)'|"([^"]*)"/g;
  if (/['"]/.test(text.replaceAll(quoted, ''))) {
    throw new UsageError(`a quote in the flags ${text} does not end`);
  }
  const found = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return found.map((word) =>
    word.replaceAll(quoted, (_match, single?: string, double?: string) => single ?? double ?? ''),
  );
}
