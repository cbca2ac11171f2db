/** Idempotency key: the header's text, as draft-ietf-httpapi-idempotency-key-header has it. Pure. */

export const keyMaxLength = 255;

/** The header of a key: a structured field string (RFC 9651), which is quoted. */
export function formatIdempotencyKey(key: string): string {
  return `"${key.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/**
 * The key of a header; undefined: there is none; false: there is one that cannot be used. A key without quotes, as many
 * clients send it, stands for itself.
 */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined | false {
  if (header === undefined) return undefined;
  if (typeof header !== 'string') return false;
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header) ?? [];
  if (quoted === undefined && header.includes('"')) return false;
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? header;
  return key.length > 0 && key.length <= keyMaxLength ? key : false;
}
