/** Command line: what the commands share in reading theirs. */
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { UsageError } from '../patterns/usage-error.ts';

/**
 * Parses the arguments behind a command. Returns a text to print instead of running (help, version), or null.
 *
 * @throws {UsageError} One line that says what is wrong and what is allowed.
 */
export function parseArguments(command: Command, argv: readonly string[]): string | null {
  let text = '';
  command.exitOverride().configureOutput({
    writeOut: (part) => {
      text += part;
    },
    writeErr: () => undefined,
  });
  try {
    command.parse(argv, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return text;
    throw new UsageError(usageText(error, command));
  }
}

/** Commander's message in one line, with what is allowed where it does not say so itself. */
function usageText({ code, message }: CommanderError, command: Command): string {
  const text = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
  if (code !== 'commander.unknownOption' && code !== 'commander.excessArguments') return text;
  return `${text}; allowed: ${command.options.map((option) => option.long).join(', ')}`;
}

/** Makes a parser's UsageError commander's own, which then names the flag. `before`: what the flag had, or its default. */
export function parser<T>(
  parse: (text: string, before: T | undefined) => T,
): (text: string, before: T | undefined) => T {
  return (text, before) => {
    try {
      return parse(text, before);
    } catch (error) {
      if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}
