#!/usr/bin/env node
/** `wavetank`: the package's command; each subcommand is a file of its own that can be run by itself too. */
import './harness/node-version.ts';

const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  run: () => import('./run.ts'),
  plot: () => import('./plot.ts'),
  check: () => import('./check.ts'),
  bench: () => import('./bench.ts'),
};

const [name = '--help', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (name === '--help' || name === '-h') {
  process.stdout.write(
    `Usage: wavetank <${Object.keys(commands).join(' | ')}> [options]\n\nwavetank run --help says what run takes, and so on.\n`,
  );
} else if (name === '--version' || name === '-V') {
  const { version } = await import('./harness/host.ts');
  process.stdout.write(`${version}\n`);
} else if (command === undefined) {
  process.stderr.write(`wavetank: unknown command ${name}; allowed: ${Object.keys(commands).join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.argv.splice(2, process.argv.length, ...rest);
  await command();
}
