/** File stems: names that may hold anything, as names of files. Pure. */

const lengthMax = 80;

/**
 * A file name without ending for each name: letters, digits and `+-_.@` stay, anything else becomes `_`. Names that
 * would meet in one file, also where a file system takes upper for lower case, get a number.
 */
export function fileStems(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const safe =
      name
        .replaceAll(' @ ', '@')
        .replaceAll(/[^\w+.@-]/g, '_')
        // Neither a hidden file nor an option.
        .replace(/^[.-]/, '_')
        .slice(0, lengthMax) || '_';
    let stem = safe;
    for (let number = 2; taken.has(stem.toLowerCase()); number += 1) stem = `${safe}-${number}`;
    taken.add(stem.toLowerCase());
    return stem;
  });
}
