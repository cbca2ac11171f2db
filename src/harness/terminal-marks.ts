/** Terminal marks: how stacks are told apart in a terminal, by a mark each and, where there is colour, by that too. */
import type pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

const marks = ['o', 'x', '+', '*', '#', '@', '%', '=', '&', '$', '~'];

/** The mark of the stack at `place`; it comes back after eleven. */
export function stackMark(place: number): string {
  return marks[place % marks.length] ?? '?';
}

/** `text` in the colour of the stack at `place`. */
export function stackColored(place: number, text: string, colors: Colors): string {
  const palette = [colors.cyan, colors.yellow, colors.magenta, colors.green, colors.blue, colors.red];
  return palette[place % palette.length]?.(text) ?? text;
}
