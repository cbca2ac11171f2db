/** Trial order: in which order the trials of several stacks run. Pure. */

/**
 * Rounds of all stacks, each round a rotation of the first and every other one reversed, so that over the rounds no
 * stack keeps its place or its predecessor: whatever drifts on the host then meets all stacks alike. Returns indices
 * of stacks.
 */
export function trialOrder(stacks: number, trials: number): number[] {
  return Array.from({ length: trials }, (_, round) => {
    // Two rounds share a rotation, forwards and backwards.
    const shift = Math.floor(round / 2) % stacks;
    const rotated = Array.from({ length: stacks }, (_unused, place) => (place + shift) % stacks);
    return round % 2 === 0 ? rotated : rotated.reverse();
  }).flat();
}
