/** Node version: ends a command at once on a Node that is too old. Imported first, for that effect. */

const oldest = [20, 11] as const;

/** What is wrong with this version of Node; undefined: nothing. */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
  return old ? `wavetank: Node ${version} is too old; allowed: ${oldest.join('.')} or newer` : undefined;
}

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
