/** Random: uniform numbers that come from a seed, so that whatever is drawn from them can be replayed. */

/**
 * A generator of uniform numbers in [0, 1), with 32 random bits each; the same seed gives the same sequence.
 *
 * It is sfc32 (Chris Doty-Humphrey, PractRand 0.94): 128 bits of state, a guaranteed period of at least 2^32
 * and about 2^127 on average. The state is filled by splitmix32, so that neighbouring seeds have nothing in common.
 *
 * @param seed Any finite number; its lower 32 bits as an integer count.
 */
export function seededRandom(seed: number): () => number {
  const fill = splitmix32(seed);
  let a = fill();
  let b = fill();
  let c = fill();
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // The reference implementation throws the first rounds away, until every bit of the state has met every other.
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

/**
 * A seed of its own for each label, so that independent streams come from one seed and a new stream does not
 * shift the old ones. Deterministic; an unsigned 32-bit integer.
 */
export function deriveSeed(seed: number, label: string): number {
  // FNV-1a over the label's UTF-16 units (Fowler, Noll, Vo), then mixed with the seed.
  let hash = 0x811c9dc5;
  for (let index = 0; index < label.length; index += 1) {
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
  }
  return splitmix32(splitmix32(seed)() ^ hash)() >>> 0;
}

/** splitmix32: the 32-bit finalizer of MurmurHash3 (Austin Appleby) over a Weyl sequence (Steele, Lea, Flood 2014). */
function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
}
