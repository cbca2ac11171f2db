/** Bench options: the command line of `bench`, turned into what it needs. */
import { Command, Option } from 'commander';
import { UsageError } from '../../patterns/usage-error.ts';
import { parseArguments, parser } from '../command-line.ts';
import { version } from '../host.ts';
import { parseNumber } from '../units.ts';
import { type BenchCase, benchCases, casesNamed, stackOf } from './bench-case.ts';

export interface BenchOptions {
  readonly cases: readonly BenchCase[];
  readonly rounds: number;
  readonly json: boolean;
  /** Folder for `bench.json`, `bench.svg` and `report.html`; null: they are not written. */
  readonly out: string | null;
}

export type BenchRequest =
  | { readonly kind: 'bench'; readonly options: BenchOptions }
  | { readonly kind: 'print'; readonly text: string };

interface Flags {
  only?: BenchCase[];
  rounds: number;
  json?: boolean;
  out?: string;
}

/** Parses the arguments behind `bench`. Throws a UsageError, one line, for anything that is not allowed. */
export function parseBenchOptions(argv: readonly string[]): BenchRequest {
  const command = describeCommand();
  const text = parseArguments(command, argv);
  if (text !== null) return { kind: 'print', text };
  const flags = command.opts<Flags>();
  return {
    kind: 'bench',
    options: {
      cases: flags.only ?? benchCases,
      rounds: flags.rounds,
      json: flags.json === true,
      out: flags.out ?? null,
    },
  };
}

function describeCommand(): Command {
  return new Command('wavetank bench')
    .description(
      'Measures what the layers cost for each call, beside cockatiel and opossum where they are installed.',
    )
    .version(version)
    .allowExcessArguments(false)
    .addOption(
      new Option(
        '--only <list>',
        'stacks or rows, separated by commas: retry+breaker, or "breaker (failing)"',
      ).argParser(parser(parseOnly)),
    )
    .addOption(
      new Option('--rounds <count>', 'how often each row is measured; from 6 on there are intervals')
        .argParser(parser((text) => parseNumber(text, { min: 1, max: 1000 })))
        .default(11),
    )
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .addOption(new Option('--out <folder>', 'also write bench.json, bench.svg and report.html there'));
}

function parseOnly(list: string): BenchCase[] {
  const cases = new Set<BenchCase>();
  for (const name of list.split(',').map((part) => part.trim())) {
    const found = casesNamed(name);
    if (found.length === 0) {
      const stacks = [...new Set(benchCases.map((one) => stackOf(one.name)))];
      throw new UsageError(
        `${JSON.stringify(name)} is not measured; allowed: ${stacks.join(', ')}, and any of them with what its row has in brackets`,
      );
    }
    for (const one of found) cases.add(one);
  }
  return [...cases];
}
