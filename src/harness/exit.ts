/** Exit: how a command ends. */
import { UsageError } from '../patterns/usage-error.ts';
import { MachineError } from './machine-error.ts';

export const exitCodes = {
  done: 0,
  /** A gate failed, or the machine stood in the way. */
  failed: 1,
  /** The command line or a file is wrong. */
  usage: 2,
  /** Measured, but a trial is invalid. */
  invalid: 3,
  interrupted: 130,
} as const;

/**
 * Runs a command and sets the exit code that it returns. An error that was foreseen becomes one line on stderr;
 * any other is a bug and keeps its stack.
 */
export async function endWith(command: () => Promise<number>): Promise<void> {
  // A reader that has seen enough (`| head`) is no error, nor is a terminal that has been closed.
  const output = { lost: false };
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'EIO') return;
      if (!output.lost && stream === process.stdout)
        process.stderr.write(`wavetank: stdout cannot be written: ${error.message}\n`);
      output.lost = true;
      process.exitCode = exitCodes.failed;
    });
  }
  try {
    const code = await command();
    process.exitCode = output.lost ? exitCodes.failed : code;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof MachineError)) throw error;
    process.stderr.write(`wavetank: ${error.message}\n`);
    process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
  }
}
