/** Check output: prints a check, adds it to the summary of a GitHub step, and says with which code the command ends. */
import { appendFileSync } from 'node:fs';
import pc from 'picocolors';
import { exitCodes } from '../exit.ts';
import { type CheckFormat, checkFormats } from './check-formats.ts';
import { checkMarkdown } from './check-markdown.ts';
import type { CheckRecord } from './check-record.ts';

export interface CheckOutput {
  readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/**
 * Prints the record on stdout. With `github` it is also appended, as markdown, to the file that `GITHUB_STEP_SUMMARY`
 * names. A summary that cannot be written is a line on stderr and no more: it says nothing about the code.
 */
export function printCheck(
  record: CheckRecord,
  format: CheckFormat,
  strict: boolean,
  { stdout, stderr, env }: CheckOutput,
): void {
  // picocolors takes a CI for a terminal.
  const colors = stdout.isTTY && pc.isColorSupported;
  stdout.write(`${checkFormats[format](record, { strict, colors })}\n`);
  const summary = env.GITHUB_STEP_SUMMARY;
  if (format === 'github' && summary !== undefined && summary !== '') {
    try {
      appendFileSync(summary, `${checkMarkdown(record)}\n`);
    } catch (error) {
      stderr.write(`wavetank: GITHUB_STEP_SUMMARY cannot be written: ${(error as Error).message}\n`);
    }
  }
  if (record.verdict === 'inconclusive' && !strict) {
    stderr.write('wavetank: warning: inconclusive, which ends with 0; with --strict it ends with 3\n');
  }
}

/** 0; 1: worse; 3: inconclusive, with `strict` alone. An interrupted check ends with 130 instead. */
export function exitCodeOf({ verdict }: CheckRecord, strict: boolean): number {
  if (verdict === 'worse') return exitCodes.failed;
  return verdict === 'inconclusive' && strict ? exitCodes.invalid : exitCodes.done;
}
