#!/usr/bin/env node
/** `run`: measures stacks against a payment service that really dies, and prints what they did. */
import './harness/node-version.ts';
import { runExperiment } from './harness/experiment.ts';
import { commandName, commandText } from './harness/command-text.ts';
import { checkExternalTarget } from './harness/external-target.ts';
import { endWith, exitCodes } from './harness/exit.ts';
import { interruptSignal } from './harness/interrupt.ts';
import { prepareStacks } from './harness/measured-stack.ts';
import { createProgress, silentProgress } from './harness/progress.ts';
import { withoutPassword } from './harness/redis-address.ts';
import { isExternal } from './harness/target-plan.ts';
import { reportText } from './harness/report-text.ts';
import { parseRunOptions } from './harness/run-options.ts';
import { createRunStore } from './harness/run-store.ts';
import { startGate } from './harness/start-gate.ts';
import { terminalPictures } from './harness/terminal-pictures.ts';

const startedAt = new Date();
const runCommand = commandName('run');
const argv = process.argv.slice(2);
/** What only the end of a run needs. It is loaded while the first trial warms up: then nobody waits, and nothing is measured. */
const loadEnding = () => import('./harness/run-artefacts.ts');
/** A warm-up with less than this left may be over before it is loaded. */
const preloadMs = 1000;

await endWith(async () => {
  const request = parseRunOptions(argv);
  if (request.kind === 'print') {
    process.stdout.write(request.text);
    return exitCodes.done;
  }
  const { options } = request;
  // What only some runs need, or only their end, is loaded then: nobody waits for it before the first line.
  if (options.rateLimit?.redis != null) {
    const { checkRedis } = await import('./harness/redis-check.ts');
    await checkRedis(options.rateLimit.redis.address);
  }
  const interrupt = interruptSignal();
  if (isExternal(options.target)) await checkExternalTarget(options.target);
  const stacks = await prepareStacks(options.stacks);
  let preloaded = !options.report;
  const progress = options.quiet ? silentProgress : createProgress(process.stderr);
  const store = createRunStore(options.out, startedAt);
  const shown = argv.map(withoutPassword);
  const command = commandText(runCommand, shown);
  const result = await runExperiment(
    { ...options, stacks },
    { command, arguments: shown },
    startedAt,
    store,
    {
      interrupt,
      startGate: startGate(process),
      onProgress: (trial, sequence, total) => {
        progress.show(trial, sequence, total);
        if (preloaded || trial.phase !== 'warm-up' || trial.leftMs < preloadMs) return;
        preloaded = true;
        // Should it fail, it fails again where it is needed.
        loadEnding().catch(() => undefined);
      },
    },
  ).finally(progress.end);

  if (result !== null) {
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${reportText(result)}\n`);
    const onTerminal = process.stdout.isTTY && !options.json && !options.quiet;
    const pictures = onTerminal ? terminalPictures(result, process.stdout.columns) : '';
    if (pictures !== '') process.stdout.write(`\n${pictures}\n`);
    if (options.report) {
      // Last, so that a full disk does not keep the table from its reader.
      const { writeRunArtefacts } = await loadEnding();
      writeRunArtefacts(store.dir, result);
    }
    if (!options.quiet) {
      const report = options.report ? `report: ${store.dir}/report.html\n` : '';
      process.stderr.write(`result: ${store.dir}/result.json\n${report}`);
    }
  }
  if (interrupt.aborted) return exitCodes.interrupted;
  const valid = result?.stacks.every((stack) => stack.trials.every((trial) => trial.valid)) ?? false;
  return valid ? exitCodes.done : exitCodes.invalid;
});
