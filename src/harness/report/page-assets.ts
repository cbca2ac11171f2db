/** Page assets: the script and the style of the report, bundled from sources or as the package brings them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as esbuild from 'esbuild';
import { fromSources } from '../entry.ts';

export interface PageAssets {
  /** JavaScript, one function that runs at once; no import, no export. */
  readonly script: string;
  readonly style: string;
}

let loaded: PageAssets | undefined;

/** The assets, bundled or read once per process. */
export function pageAssets(): PageAssets {
  loaded ??= fromSources ? bundlePage() : builtPage();
  return loaded;
}

/** Bundles `src/page` (about 30 ms). Only where the sources are: the package has neither them nor the bundler. */
export function bundlePage(): PageAssets {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('../../page/report.ts', import.meta.url))],
    outdir: 'page',
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    write: false,
  });
  const textOf = (extension: string) =>
    outputFiles.find((file) => path.extname(file.path) === extension)?.text.trim() ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

function builtPage(): PageAssets {
  const read = (name: string) => readFileSync(new URL(`../../page/${name}`, import.meta.url), 'utf8');
  return { script: read('report.js'), style: read('report.css') };
}
