/** Host: the machine and the versions that a result was measured with. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Result } from './result.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const version = (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string })
  .version;

/** Describes the host as it is now. */
export function describeHost(): Result['host'] {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    loadAverage: os.loadavg()[0] ?? 0,
    wavetank: version,
    commit: commitHere(),
  };
}

/** The commit of wavetank's own checkout, `-dirty` behind it where files differ; null for an installed package. */
function commitHere(): string | null {
  try {
    const described = execFileSync(
      'git',
      ['describe', '--always', '--dirty', '--exclude', '*', '--abbrev=12'],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    // A package inside somebody else's repository must not report that repository's commit.
    const top = execFileSync('git', ['rev-parse', '--show-prefix'], { cwd: root, encoding: 'utf8' });
    return top.trim() === '' ? described.trim() : null;
  } catch {
    return null;
  }
}
