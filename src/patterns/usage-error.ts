/** Usage error: somebody asked for something that does not exist or is out of range. */

/** Its message is one line that names what is wrong and says what is allowed; it ends a command with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
