#!/usr/bin/env node
/** `plot`: draws the stacks of any runs over each other, or a history of checks, and writes histograms for other tools. */
import './harness/node-version.ts';
import { endWith, exitCodes } from './harness/exit.ts';
import { plotHistory } from './harness/plot/history-command.ts';
import { plot } from './harness/plot/plot-command.ts';
import { parsePlotOptions } from './harness/plot/plot-options.ts';

const argv = process.argv.slice(2);

await endWith(() => {
  const request = parsePlotOptions(argv);
  if (request.kind === 'print') {
    process.stdout.write(request.text);
    return Promise.resolve(exitCodes.done);
  }
  const { files, warnings } =
    request.kind === 'history'
      ? plotHistory(request.options)
      : { files: plot(request.options), warnings: [] };
  for (const warning of warnings) process.stderr.write(`wavetank: warning: ${warning}\n`);
  for (const file of files) process.stdout.write(`${file}\n`);
  return Promise.resolve(exitCodes.done);
});
