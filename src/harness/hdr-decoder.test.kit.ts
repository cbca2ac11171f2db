/**
 * HDR decoder, for tests: reads a V2 compressed histogram from the format's description alone, sharing no code with the
 * library that writes them. https://github.com/HdrHistogram/HdrHistogram, `AbstractHistogram.encodeIntoByteBuffer`.
 */
import { inflateSync } from 'node:zlib';

const compressedCookie = 0x1c849304;
const plainCookie = 0x1c849303;
/** A cookie carries the word size in these bits. */
const wordSizeBits = 0xf0;

/** Every recorded value as the top of its step, ascending, repeated as often as it was recorded. */
export function decodeHdr(base64: string): number[] {
  const compressed = Buffer.from(base64, 'base64');
  expectEqual(compressed.readInt32BE(0) & ~wordSizeBits, compressedCookie);
  const length = compressed.readInt32BE(4);
  expectEqual(compressed.length, 8 + length);
  const plain = inflateSync(compressed.subarray(8));
  expectEqual(plain.readInt32BE(0) & ~wordSizeBits, plainCookie);
  const payload = plain.subarray(40, 40 + plain.readInt32BE(4));
  const digits = plain.readInt32BE(12);
  expectEqual(Number(plain.readBigInt64BE(16)), 1);
  const halfCount = 2 ** (Math.ceil(Math.log2(2 * 10 ** digits)) - 1);

  const values: number[] = [];
  let index = 0;
  for (const word of zigZagLeb128(payload)) {
    if (word < 0) {
      index -= word;
      continue;
    }
    const top = topOf(index, halfCount);
    for (let times = 0; times < word; times++) values.push(top);
    index += 1;
  }
  return values;
}

/** The largest value of a step: the first 2 * half steps are 1 wide, then each `half` of them are twice as wide. */
function topOf(index: number, halfCount: number): number {
  const bucket = Math.max(0, Math.floor(index / halfCount) - 1);
  const width = 2 ** bucket;
  return (index - bucket * halfCount + 1) * width - 1;
}

function* zigZagLeb128(bytes: Buffer): Generator<number> {
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    // The ninth byte would hold eight bits; counts that large do not occur here.
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) {
      yield Number((value >> 1n) ^ -(value & 1n));
      value = 0n;
      shift = 0n;
    }
  }
  expectEqual(shift === 0n, true);
}

function expectEqual<T>(is: T, shouldBe: T): void {
  if (is !== shouldBe)
    throw new Error(`not a V2 compressed histogram: ${String(is)} instead of ${String(shouldBe)}`);
}
