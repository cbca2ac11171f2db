/** Error text: what code that is not ours has thrown or returned, in one line, whatever it is. */

/** One line of at most 200 characters. Never throws: what was thrown may be anything, a trap included. */
export function errorText(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `the value ${valueText(error)}`;
    return `${error.name}: ${error.message}`.replaceAll(/\s+/g, ' ').slice(0, 200);
  } catch {
    return 'an error that cannot be read';
  }
}

export function valueText(value: unknown): string {
  try {
    if (typeof value === 'function') return 'a function';
    if (Array.isArray(value)) return 'an array';
    if (typeof value === 'object' && value !== null) return 'an object';
    return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : String(value);
  } catch {
    // A revoked proxy.
    return 'an object';
  }
}
