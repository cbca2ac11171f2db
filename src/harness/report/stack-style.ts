/** Stack style: what tells the lines of stacks apart without colour: a dash and a mark. The colours are in the style sheet. */

/** How many colours there are. The style sheet has as many `--stack-N`. */
export const stackStyleCount = 8;

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

/** The look of the stack in that place. Where colours begin again, they come with other dashes and marks. */
export function stackStyle(index: number): { colour: string; dash: readonly number[]; mark: string } {
  const turn = Math.floor(index / stackStyleCount);
  const place = (index + turn) % stackStyleCount;
  return {
    colour: `--stack-${index % stackStyleCount}`,
    dash: stackDashes[place] ?? [],
    mark: stackMarks[place] ?? '',
  };
}
