/** Plot options: the command line of `plot`, turned into what it needs. */
import path from 'node:path';
import { Command, Option } from 'commander';
import { UsageError } from '../../patterns/usage-error.ts';
import { historyFileDefault } from '../check/history.ts';
import { parseArguments, parser } from '../command-line.ts';
import { version } from '../host.ts';
import { parseDurationMs } from '../units.ts';
import { type PlotFormat, plotFormats } from './plot-files.ts';
import { type RequestClass, requestClasses } from '../request-class.ts';

export interface PlotOptions {
  /** Folders of runs, or their `result.json`. */
  readonly runs: readonly string[];
  readonly formats: readonly PlotFormat[];
  readonly requestClass: RequestClass;
  /** The limit of the SLA line in µs; null for none. */
  readonly slaUs: number | null;
  /** Folder for the files. */
  readonly out: string;
  /** Whether files that were not written by `plot` are written over. */
  readonly force: boolean;
}

/** What `plot --history` needs. */
export interface HistoryOptions {
  readonly file: string;
  /** Folder for the picture. */
  readonly out: string;
  readonly force: boolean;
}

export type PlotRequest =
  | { readonly kind: 'plot'; readonly options: PlotOptions }
  | { readonly kind: 'history'; readonly options: HistoryOptions }
  | { readonly kind: 'print'; readonly text: string };

interface Flags {
  format: PlotFormat[];
  class: RequestClass;
  sla?: number;
  out?: string;
  force?: boolean;
  /** True: the default file. */
  history?: string | true;
}

/** Parses the arguments behind `plot`. Throws a UsageError, one line, for anything that is not allowed. */
export function parsePlotOptions(argv: readonly string[]): PlotRequest {
  const command = describeCommand();
  const text = parseArguments(command, argv);
  if (text !== null) return { kind: 'print', text };
  const flags = command.opts<Flags>();
  const runs = command.args;
  if (flags.history !== undefined) return historyRequest(command, flags.history, flags);
  if (runs.length === 0)
    throw new UsageError("missing required argument 'run': the folder of a run, or --history");
  return {
    kind: 'plot',
    options: {
      runs,
      formats: flags.format,
      requestClass: flags.class,
      slaUs: flags.sla === undefined ? null : flags.sla * 1000,
      out: flags.out ?? defaultOut(runs),
      force: flags.force === true,
    },
  };
}

function historyRequest(command: Command, history: string | true, flags: Flags): PlotRequest {
  const [run] = command.args;
  if (run !== undefined)
    throw new UsageError(`--history draws checks, not runs; ${JSON.stringify(run)} is one too many`);
  for (const flag of ['format', 'class', 'sla'] as const) {
    if (command.getOptionValueSource(flag) === 'cli') {
      throw new UsageError(`--${flag} does not go with --history; allowed beside it: --out, --force`);
    }
  }
  const file = history === true ? historyFileDefault : history;
  return {
    kind: 'history',
    options: { file, out: flags.out ?? path.dirname(file), force: flags.force === true },
  };
}

function describeCommand(): Command {
  return new Command('wavetank plot')
    .description('Draws runs and their stacks over each other, and writes their histograms for other tools.')
    .version(version)
    .usage('[options] <run...>\n       wavetank plot --history [file] [--out <folder>]')
    .argument('[run...]', 'folder of a run, or its result.json')
    .addOption(
      new Option('--format <list>', `separated by commas: ${plotFormats.join(', ')}`)
        .argParser(parser(parseFormats))
        .default(['svg'], 'svg'),
    )
    .addOption(new Option('--class <class>', 'whose requests').choices(requestClasses).default('orders'))
    .addOption(
      new Option('--sla <time>', 'a line at this response time, and where each stack crosses it').argParser(
        parser((text) => parseDurationMs(text, { min: 1, max: 120_000 })),
      ),
    )
    .addOption(
      new Option(
        '--out <folder>',
        "folder for the files (default: the run's or the history's own; for several runs, this one)",
      ),
    )
    .addOption(
      new Option(
        '--history [file]',
        `instead of runs: how each metric changed from check to check (default: ${historyFileDefault})`,
      ),
    )
    .addOption(new Option('--force', 'write over files that plot did not write'));
}

function parseFormats(list: string): PlotFormat[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const format = plotFormats.find((known) => known === name);
    if (format === undefined) {
      throw new UsageError(`${JSON.stringify(name)} is no format; allowed: ${plotFormats.join(', ')}`);
    }
    return format;
  });
}

function defaultOut(runs: readonly string[]): string {
  const [run = '.'] = runs;
  if (runs.length > 1) return '.';
  return run.endsWith('.json') ? path.dirname(run) : run;
}
