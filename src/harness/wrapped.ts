/** Wrapped: a long text as lines. Pure. */

/** `text` behind `lead`, broken at spaces, the further lines as far in as the first. */
export function wrapped(lead: string, text: string, columns: number): string {
  const lines = [lead];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const gap = line.length > lead.length ? ' ' : '';
    if (gap !== '' && line.length + 1 + word.length > columns) lines.push(' '.repeat(lead.length) + word);
    else lines[lines.length - 1] = line + gap + word;
  }
  return lines.join('\n');
}
