/** Open sides: from what a check was told to compare to its sides. */
import { openBaseline } from './baseline-sides.ts';
import type { CheckOptions } from './check-options.ts';
import { measuredSides, workingTree } from './measured-sides.ts';
import { openRef } from './ref-sides.ts';
import { openResults } from './result-sides.ts';
import type { Sides } from './sides.ts';
import type { CheckOutHooks } from './worktree.ts';

/** @throws {UsageError} If there is nothing to compare, or the sides are not comparable. */
export async function openSides(
  options: CheckOptions,
  scratchDir: string,
  hooks: CheckOutHooks,
): Promise<Sides> {
  const { comparison } = options;
  switch (comparison.kind) {
    case 'ref':
      return openRef(comparison.ref, options, scratchDir, hooks);
    case 'with':
      return measuredSides(options, scratchDir, {
        a: { ...workingTree(), label: 'without' },
        b: { ...workingTree(), label: `with ${comparison.flags.join(' ')}`, flags: comparison.flags },
      });
    case 'limits':
      return measuredSides(options, scratchDir, { a: null, b: workingTree() });
    case 'baseline':
      return openBaseline(comparison.run, options, scratchDir);
    case 'results':
      return openResults(comparison.a, comparison.b, options);
  }
}
