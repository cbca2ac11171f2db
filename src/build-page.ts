/** `npm run build`, second half: the report's script and style, bundled once, so that the package needs no bundler. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { bundlePage } from './harness/report/page-assets.ts';

const { script, style } = bundlePage();
const folder = new URL('../dist/page/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('report.js', folder), script);
writeFileSync(new URL('report.css', folder), style);
