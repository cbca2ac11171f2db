/** Command text: how a command is called, as a line that a shell takes. */
import { fromSources } from './entry.ts';

/** As it is called here: from the sources, or as the package's command. */
export function commandName(command: string): string {
  return fromSources ? `npx tsx src/${command}.ts` : `npx wavetank ${command}`;
}

export function commandText(name: string, argv: readonly string[]): string {
  return [name, ...argv.map(shellText)].join(' ');
}

/** An argument as a shell needs it. */
function shellText(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
