/**
 * Palette: colours and dashes for overlaid lines. Pure.
 *
 * The hues are those of Okabe and Ito (https://jfly.uni-koeln.de/color/), which all kinds of colour vision tell apart,
 * darkened or lightened until each stands out from its background by 3 : 1 or more. Neighbouring lines differ in their
 * dashes too.
 */
export interface LineColour {
  readonly light: string;
  readonly dark: string;
}

export const lineColours: readonly LineColour[] = [
  { light: '#1f2328', dark: '#f0f6fc' },
  { light: '#0072b2', dark: '#56a9e8' },
  { light: '#d55e00', dark: '#ff7f3f' },
  { light: '#007d5a', dark: '#2cc295' },
  { light: '#b5508c', dark: '#e58fc1' },
  { light: '#9a6700', dark: '#e6b800' },
  { light: '#2a8fc7', dark: '#a5dcff' },
];

/** As `stroke-dasharray` takes them; the first is an unbroken line. */
export const lineDashes: readonly string[] = ['none', '8 3', '2 3', '10 3 2 3'];

/** The colour of the line at a place, as an index into `lineColours`, and its dashes. */
export function lineStyle(index: number): { readonly colour: number; readonly dashes: string } {
  return {
    colour: index % lineColours.length,
    dashes: lineDashes[index % lineDashes.length] ?? 'none',
  };
}
