/** Own bundle: a module of the user's as a file that a thread without a TypeScript loader can import. */
import { type Stats, statSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as esbuild from 'esbuild';
import { UsageError } from '../../patterns/usage-error.ts';
import { fromSources } from '../entry.ts';
import { errorText } from '../error-text.ts';
import { makeTemporaryFolder, requireInModules, whatIsBroken } from '../entry-bundle.ts';
import { MachineError } from '../machine-error.ts';

/**
 * Where to import the module from.
 *
 * Bundled are the module and its own files. Packages stay outside and come from where the module finds them; `wavetank`
 * itself, from sources, is these sources. In the published package JavaScript is imported as it is, and TypeScript is
 * bundled if esbuild is there, or left to a Node that runs it by itself.
 *
 * @param file As the user calls it, relative to the current folder.
 * @throws {UsageError} One line, if there is no such file, if it is broken, or if nothing here can run TypeScript.
 */
export async function ownModuleUrl(file: string): Promise<string> {
  const place = path.resolve(file);
  const found = fileAt(file, place);
  if (found?.isFile() !== true) {
    throw new UsageError(
      `${file} ${found === undefined ? 'does not exist' : 'is no file'}; --pattern takes a file that ends in .ts, .mts, .js, .mjs or .cjs`,
    );
  }
  const url = pathToFileURL(place).href;
  const isTypeScript = /\.m?ts$/.test(place);
  if (!fromSources && !isTypeScript) return url;
  const builder = findEsbuild(place);
  if (builder !== undefined) return bundled(builder, file, place);
  if ('typescript' in process.features && Boolean(process.features.typescript)) return url;
  throw new UsageError(
    `${file} is TypeScript, which Node ${process.version} does not run by itself: npm install --save-dev esbuild, or give JavaScript`,
  );
}

function fileAt(file: string, place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorText(error)}`);
  }
}

/** The project's, or the one beside wavetank. */
function findEsbuild(place: string): typeof esbuild | undefined {
  for (const from of [place, import.meta.url]) {
    try {
      return createRequire(from)('esbuild') as typeof esbuild;
    } catch {
      // Not there.
    }
  }
  return undefined;
}

async function bundled(builder: typeof esbuild, file: string, place: string): Promise<string> {
  const folder = makeTemporaryFolder();
  let built: esbuild.BuildResult<{ write: false }>;
  try {
    built = await builder.build({
      entryPoints: [place],
      absWorkingDir: process.cwd(),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // Not the one for bundlers, which Node could not load.
      conditions: [],
      banner: { js: requireInModules },
      define: {
        'import.meta.url': JSON.stringify(pathToFileURL(place).href),
        'import.meta.filename': JSON.stringify(place),
        'import.meta.dirname': JSON.stringify(path.dirname(place)),
      },
      plugins: [packagesOutside],
      write: false,
      logLevel: 'silent',
    });
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${whatIsBroken(error as esbuild.BuildFailure)}`);
  }
  const output = path.join(folder, `${path.parse(place).name}.mjs`);
  try {
    writeFileSync(output, built.outputFiles[0]?.contents ?? '');
  } catch (error) {
    throw new MachineError(`${output} cannot be written: ${(error as Error).message}`);
  }
  return pathToFileURL(output).href;
}

const layers = fileURLToPath(new URL('../../patterns/index.ts', import.meta.url));

/** Packages by their place: the bundle lies elsewhere, and would not find them by their names. */
const packagesOutside: esbuild.Plugin = {
  name: 'packages-outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path: name, kind, importer, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || pluginData === packagesOutside) return undefined;
      if (isBuiltin(name) || /^(?:data|file|https?):/.test(name)) return { path: name, external: true };
      if (fromSources && name === 'wavetank') return { path: layers };
      const found = await build.resolve(name, { kind, importer, resolveDir, pluginData: packagesOutside });
      if (found.errors.length > 0 || !/[/\\]node_modules[/\\]/.test(found.path)) return found;
      return {
        path: kind === 'require-call' ? found.path : pathToFileURL(found.path).href,
        external: true,
      };
    });
  },
};
