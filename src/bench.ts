#!/usr/bin/env node
/** `bench`: measures what the layers cost for each call, beside the libraries that people use. */
import './harness/node-version.ts';
import { runBench, writeBench } from './harness/bench/bench-command.ts';
import { parseBenchOptions } from './harness/bench/bench-options.ts';
import { benchText } from './harness/bench/bench-text.ts';
import { endWith, exitCodes } from './harness/exit.ts';

const argv = process.argv.slice(2);

await endWith(async () => {
  const request = parseBenchOptions(argv);
  if (request.kind === 'print') {
    process.stdout.write(request.text);
    return exitCodes.done;
  }
  const { options } = request;
  const result = await runBench(options, (line) => {
    process.stderr.write(`${line}\n`);
  });
  process.stdout.write(
    options.json ? `${JSON.stringify(result)}\n` : `${benchText(result.rows, result.rounds)}\n`,
  );
  if (options.out !== null) {
    // Last, so that a full disk does not keep the table from its reader.
    writeBench(options.out, result);
    process.stderr.write(`report: ${options.out}/report.html\n`);
  }
  return exitCodes.done;
});
