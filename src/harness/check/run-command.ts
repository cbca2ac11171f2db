/** Run command: how `run` is started from the code in a folder, whichever version of it lies there. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../../patterns/usage-error.ts';

/**
 * The program and its first arguments. From wavetank's own sources they run through tsx; in any other project it is the
 * package that is installed there.
 *
 * @throws {UsageError} If the folder has neither.
 */
export function runCommandIn(folder: string, label: string): readonly string[] {
  const require = createRequire(path.join(folder, 'package.json'));
  const source = path.join(folder, 'src/run.ts');
  if (packageName(folder) === 'wavetank' && existsSync(source)) {
    const tsx = resolved(require, 'tsx');
    if (tsx === undefined)
      throw new UsageError(`${label}: tsx is not installed in ${folder}; run npm ci there`);
    return [process.execPath, '--import', pathToFileURL(tsx).href, source];
  }
  const manifest = resolved(require, 'wavetank/package.json');
  if (manifest === undefined) {
    throw new UsageError(
      `${label}: there is no wavetank in ${folder}; install it there (npm install --save-dev wavetank)`,
    );
  }
  return [process.execPath, path.join(path.dirname(manifest), 'dist/cli.js'), 'run'];
}

function packageName(folder: string): string | undefined {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name;
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
