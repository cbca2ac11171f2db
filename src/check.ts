#!/usr/bin/env node
/** `check`: decides whether a change made the behaviour of a service under failure worse. */
import './harness/node-version.ts';
import { loadCheckConfig } from './harness/check/check-config.ts';
import { parseCheckOptions } from './harness/check/check-options.ts';
import { createCheckProgress, silentCheckProgress } from './harness/check/check-progress.ts';
import { runCheck } from './harness/check/run-check.ts';
import { commandName, commandText } from './harness/command-text.ts';
import { endWith, exitCodes } from './harness/exit.ts';

const startedAt = new Date();
const argv = process.argv.slice(2);

await endWith(async () => {
  const request = parseCheckOptions(argv, ['json']);
  if (request.kind === 'print') {
    process.stdout.write(request.text);
    return exitCodes.done;
  }
  if (request.kind === 'self-test') return exitCodes.done;
  const options = request.complete(await loadCheckConfig(request.config, process.cwd()));
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      interrupt.abort(signal);
    });
  }
  const progress = options.quiet
    ? silentCheckProgress
    : createCheckProgress(process.stderr, options.budgetMs);
  const record = await runCheck(
    options,
    startedAt.toISOString(),
    commandText(commandName('check'), argv),
    startedAt,
    {
      interrupt: interrupt.signal,
      onProgress: progress.show,
    },
  ).finally(progress.end);
  if (record !== null) process.stdout.write(`${JSON.stringify(record)}\n`);
  if (interrupt.signal.aborted) return exitCodes.interrupted;
  return exitCodes.done;
});
