/** Machine error: the machine, not the user, stands in the way. */

/** Its message is one line that names what is wrong; it ends a command with exit code 1. */
export class MachineError extends Error {
  override readonly name = 'MachineError';
}
