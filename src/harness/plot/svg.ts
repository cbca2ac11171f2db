/** SVG: the frame, the colours and the few shapes that the static charts share. Pure. */
import { stackColours } from '../stack-style.ts';
import { escapeXml } from '../xml-text.ts';

/** The first words of each file, and how `plot` knows its own. */
export const svgMark = '<!-- wavetank plot -->';

export interface SvgDocument {
  readonly width: number;
  readonly height: number;
  /** What the picture is, for those who do not see it. */
  readonly title: string;
  /** What it shows, in sentences. */
  readonly description: string;
  /** Elements, each a string of SVG. */
  readonly body: readonly string[];
}

/** A document that stands on its own: solid background, light or dark as the reader's system is set, no script. */
export function svgDocument({ width, height, title, description, body }: SvgDocument): string {
  return [
    svgMark,
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(description)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

export interface TextStyle {
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Classes of the style sheet, separated by spaces. */
  readonly className?: string;
}

/** A line of text at a point of its baseline. */
export function svgText(x: number, y: number, text: string, { anchor, className }: TextStyle = {}): string {
  const attributes = [
    `x="${round(x)}" y="${round(y)}"`,
    ...(anchor === undefined || anchor === 'start' ? [] : [`text-anchor="${anchor}"`]),
    ...(className === undefined ? [] : [`class="${className}"`]),
  ];
  return `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`;
}

export function svgLine(x1: number, y1: number, x2: number, y2: number, className: string): string {
  return `<line class="${className}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

/** A text that would be longer ends in an ellipsis. */
export function shortened(text: string, lengthMax: number): string {
  const letters = Array.from(text);
  return letters.length <= lengthMax ? text : `${letters.slice(0, lengthMax - 1).join('')}…`;
}

/** Coordinates to a tenth of a pixel: more only makes the file larger. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const colourRules = (mode: 'light' | 'dark') =>
  stackColours.map((colour, index) => `.c${index}{color:${colour[mode]}}`).join('');

const style = [
  'text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}',
  '.heading{font-size:16px;font-weight:600}.strong{font-weight:600}.number{font-variant-numeric:tabular-nums}',
  '.ground{fill:#ffffff}.soft{fill:#59636e}.grid{stroke:#e4e8ec}.axis{stroke:#818b98}',
  '.limit{stroke:#b35900;stroke-dasharray:5 4;stroke-width:1.5}.limitText{fill:#8f4700;stroke:#ffffff;stroke-width:4;paint-order:stroke;stroke-linejoin:round}',
  '.curve{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}.leader{stroke:currentColor;opacity:.45}',
  '.name{fill:currentColor}.mark{fill:currentColor}.ring{fill:#ffffff;stroke:currentColor;stroke-width:2}',
  '.area{fill:currentColor;opacity:.28}.death{stroke:#cf222e;stroke-width:2}.deathText{fill:#cf222e}.down{fill:#cf222e;opacity:.14}',
  colourRules('light'),
  '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.ground{fill:#0d1117}.soft{fill:#9198a1}',
  '.grid{stroke:#21262d}.axis{stroke:#656c76}.limit{stroke:#f0a35e}.limitText{fill:#f0a35e;stroke:#0d1117}.name{fill:currentColor}',
  '.ring{fill:#0d1117}.death{stroke:#ff7b72}.deathText{fill:#ff7b72}.down{fill:#ff7b72;opacity:.2}',
  `${colourRules('dark')}}`,
].join('');
