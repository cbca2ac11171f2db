/** Stack style: the look of a stack's line, the same in the static charts and in the report: a colour, a dash, a mark. Pure. */

export interface StackColour {
  readonly light: string;
  readonly dark: string;
}

/**
 * The hues are those of Okabe and Ito (https://jfly.uni-koeln.de/color/), which all kinds of colour vision tell apart,
 * darkened or lightened until each stands out from its background by 3 : 1 or more, and a grey. The report's style
 * sheet has the same as `--stack-N`.
 */
export const stackColours: readonly StackColour[] = [
  { light: '#1f2328', dark: '#f0f6fc' },
  { light: '#0072b2', dark: '#56a9e8' },
  { light: '#d55e00', dark: '#ff7f3f' },
  { light: '#007d5a', dark: '#2cc295' },
  { light: '#b5508c', dark: '#e58fc1' },
  { light: '#9a6700', dark: '#e6b800' },
  { light: '#2a8fc7', dark: '#a5dcff' },
  { light: '#6a7178', dark: '#a3aab1' },
];

/** In px: drawn, not drawn, ... Empty: a whole line. */
export const stackDashes: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [2, 3],
  [10, 3, 2, 3],
  [5, 3],
  [14, 3, 2, 3, 2, 3],
  [18, 4],
  [1, 4],
];

/** Outlines around the origin, 8 px wide, in the path language that SVG and canvas share. */
export const stackMarks: readonly string[] = [
  'M4 0A4 4 0 1 1-4 0A4 4 0 1 1 4 0Z',
  'M-3.5-3.5H3.5V3.5H-3.5Z',
  'M0-4.5L4.2 3.2H-4.2Z',
  'M0-5L5 0L0 5L-5 0Z',
  'M0 4.5L4.2-3.2H-4.2Z',
  'M-1.4-4.5H1.4V-1.4H4.5V1.4H1.4V4.5H-1.4V1.4H-4.5V-1.4H-1.4Z',
  'M0-5L4.8-1.5L3 4H-3L-4.8-1.5Z',
  'M-4.5-3.5H4.5L-4.5 3.5H4.5Z',
];

export interface StackStyle {
  /** An index into `stackColours`. */
  readonly colour: number;
  /** As in `stackDashes`. */
  readonly dash: readonly number[];
  readonly mark: string;
}

/** The look of the stack in that place. Where colours begin again, they come with other dashes and marks. */
export function stackStyle(index: number): StackStyle {
  const count = stackColours.length;
  const place = (index + Math.floor(index / count)) % count;
  return {
    colour: index % count,
    dash: stackDashes[place] ?? [],
    mark: stackMarks[place] ?? '',
  };
}
