/** Ref sides: another version of the code, checked out of the history, and the working tree. */
import type { CheckOptions } from './check-options.ts';
import { measuredSides, workingTree } from './measured-sides.ts';
import { runCommandIn } from './run-command.ts';
import type { Sides } from './sides.ts';
import { type CheckOutHooks, checkOut } from './worktree.ts';

export async function openRef(
  ref: string,
  options: CheckOptions,
  scratchDir: string,
  hooks: CheckOutHooks,
): Promise<Sides> {
  const b = workingTree();
  // Before anything is checked out: this side has to be there in any case.
  runCommandIn(b.dir, b.label);
  const worktree = await checkOut(ref, b.dir, hooks);
  try {
    const commit = worktree.commit.slice(0, 12);
    const sides = measuredSides(options, scratchDir, {
      a: { label: ref, commit, dir: worktree.dir, flags: [] },
      b,
    });
    const same = b.commit === commit;
    const dirty = b.commit?.endsWith('-dirty') === true;
    return {
      ...sides,
      warnings: [
        ...(same ? [`both sides are ${commit}: whatever differs is noise`] : []),
        ...(dirty
          ? ['the working tree has changes that are not committed; they are part of what is judged']
          : []),
      ],
      close() {
        worktree.remove();
      },
    };
  } catch (error) {
    worktree.remove();
    throw error;
  }
}
