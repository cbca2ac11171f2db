/** Page head: what every page starts with, and the policy that lets nothing run or load but what the page brings. Pure. */
import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

export interface PageHead {
  readonly title: string;
  /** Version of wavetank that writes the page. */
  readonly version: string;
  readonly style: string;
  /** The page's only script; absent: none. */
  readonly script?: string | undefined;
  /** Whether images are part of the page itself, as `data:`. Default false. */
  readonly hasImages?: boolean | undefined;
}

/** The `head` element. */
export function pageHead({ title, version, style, script, hasImages = false }: PageHead): Html {
  const scripts = script === undefined ? '' : ` script-src '${hashOf(script)}';`;
  const images = hasImages ? ' img-src data:;' : '';
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';${new Html(scripts)} style-src '${hashOf(style)}';${images} base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="wavetank ${version}">
<title>${title} – wavetank</title>
<style>${new Html(style)}</style>
</head>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
