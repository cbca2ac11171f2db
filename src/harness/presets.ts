/** Presets: sets of options with a name, written as one would write them on the command line. */

export interface Preset {
  readonly meaning: string;
  /** Flags of `run`. Each can be overridden by the same flag beside `--preset`. */
  readonly flags: readonly string[];
}

export const presets = {
  /** "Resilience Under Load Stress". What it does not state is chosen; `docs/article.md` says what, and why. */
  article: {
    meaning:
      'ten users in a closed loop against a container of 256 MB that stalls at its limit and is killed',
    flags: [
      ['--pattern', 'article'],
      ['--vus', '10'],
      ['--think', '1s'],
      ['--duration', '70s'],
      ['--warmup', '0'],
      ['--leak-kind', 'rss'],
      ['--leak', '1.5MB'],
      ['--idle-leak', '0'],
      ['--memory-limit', '256MB'],
      ['--swap', '10MB'],
      ['--swap-rate', '512KB'],
      ['--down', 'hang'],
      ['--restart-delay', 'docker'],
      ['--set', 'breaker.slowMs=500ms'],
      ['--set', 'breaker.windowMs=2s'],
      ['--set', 'breaker.callsMin=5'],
      ['--set', 'breaker.openMs=3s'],
      ['--set', 'breaker.probesMax=1'],
    ].flat(),
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as PresetName[];
