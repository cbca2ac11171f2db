/** Interrupt: how a user ends a command that is to leave nothing behind. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts at the first of these signals. A second one of the same kind ends the command at once. One of another kind does
 * nothing: on Ctrl-C a run under a check hears SIGINT from the terminal and SIGTERM from the check.
 */
export function interruptSignal(command: Pick<NodeJS.Process, 'once'> = process): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of signals) {
    command.once(signal, () => {
      interrupt.abort(signal);
    });
  }
  return interrupt.signal;
}
