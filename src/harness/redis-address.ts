/** Redis address: where a Redis server is, as it stands on a command line. */
import { UsageError } from '../patterns/usage-error.ts';

const allowedText = 'redis://[user:password@]host[:port][/database], or rediss:// for TLS';

/** @throws {UsageError} If it is no address of a Redis server. */
export function parseRedisAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress =
    (url?.protocol === 'redis:' || url?.protocol === 'rediss:') &&
    url.hostname !== '' &&
    /^(\/\d{0,5})?$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '';
  if (!isAddress) throw new UsageError(`allowed: ${allowedText}`);
  return text;
}

/** A text with the passwords of all addresses in it hidden: what is shown or kept must not give them away. */
export function withoutPassword(text: string): string {
  return text.replaceAll(/(rediss?:\/\/[^\s/:@]*:)[^\s/]*@/gi, '$1***@');
}
