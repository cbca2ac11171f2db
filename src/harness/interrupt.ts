/** Interrupt: how a user ends a command that is to leave nothing behind. */

/** Aborts at the first SIGINT, SIGTERM or SIGHUP. The second one ends the command at once, as it would any other. */
export function interruptSignal(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      interrupt.abort(signal);
    });
  }
  return interrupt.signal;
}
