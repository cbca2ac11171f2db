#!/usr/bin/env node
/** `check`: decides whether a change made the behaviour of a service under failure worse. */
import './harness/node-version.ts';
import path from 'node:path';
import { loadCheckConfig } from './harness/check/check-config.ts';
import { parseCheckOptions } from './harness/check/check-options.ts';
import { exitCodeOf, printCheck } from './harness/check/check-output.ts';
import { createCheckProgress, silentCheckProgress } from './harness/check/check-progress.ts';
import { appendHistory } from './harness/check/history.ts';
import { runCheck } from './harness/check/run-check.ts';
import { runSelfTest } from './harness/check/run-self-test.ts';
import { commandName, commandText } from './harness/command-text.ts';
import { endWith, exitCodes } from './harness/exit.ts';
import { interruptSignal } from './harness/interrupt.ts';
import { createRunStore, writeWhole } from './harness/run-store.ts';

const startedAt = new Date();
const argv = process.argv.slice(2);

await endWith(async () => {
  const request = parseCheckOptions(argv);
  if (request.kind === 'print') {
    process.stdout.write(request.text);
    return exitCodes.done;
  }
  const interrupt = interruptSignal();
  if (request.kind === 'self-test') {
    const text = await runSelfTest(request.options, process.stderr, interrupt);
    if (text !== '') process.stdout.write(`${text}\n`);
    return interrupt.aborted ? exitCodes.interrupted : exitCodes.done;
  }
  const options = request.complete(await loadCheckConfig(request.config, process.cwd()));
  const progress = options.quiet
    ? silentCheckProgress
    : createCheckProgress(process.stderr, options.budgetMs);
  const store = createRunStore(options.out, startedAt);
  const call = { id: store.id, command: commandText(commandName('check'), argv), startedAt };
  const record = await runCheck(options, call, { interrupt, onProgress: progress.show })
    .catch((error: unknown) => {
      store.discard();
      throw error;
    })
    .finally(progress.end);
  if (record === null) {
    store.discard();
    return exitCodes.interrupted;
  }
  printCheck(record, options.format, options.strict, process);
  writeWhole(path.join(store.dir, 'check.json'), `${JSON.stringify(record)}\n`);
  appendHistory(options.history, record);
  return interrupt.aborted ? exitCodes.interrupted : exitCodeOf(record, options.strict);
});
