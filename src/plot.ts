#!/usr/bin/env node
/** `plot`: draws the stacks of any runs over each other, and writes their histograms for other tools. */
import './harness/node-version.ts';
import { endWith, exitCodes } from './harness/exit.ts';
import { plot } from './harness/plot/plot-command.ts';
import { parsePlotOptions } from './harness/plot/plot-options.ts';

const argv = process.argv.slice(2);

await endWith(() => {
  const request = parsePlotOptions(argv);
  const text =
    request.kind === 'print'
      ? request.text
      : plot(request.options)
          .map((file) => `${file}\n`)
          .join('');
  process.stdout.write(text);
  return Promise.resolve(exitCodes.done);
});
