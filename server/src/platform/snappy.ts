/** Unpacks blocks of snappy, which Prometheus sends. */

/** The size that a block says it will have: a varint in front of it. */
function sizeOf(bytes: Uint8Array): number {
  let size = 0;
  for (const [at, byte] of bytes.subarray(0, 5).entries()) {
    size += (byte & 127) * 2 ** (7 * at);
    if (byte < 128) return size;
  }
  return Infinity;
}

/** Whether a block says that it has more bytes than `max`. Its memory is reserved by what it says, so this comes first. */
export const isLargerThan = (bytes: Uint8Array, max: number): boolean => sizeOf(bytes) > max;

/** Unpacks a block in another thread; throws when it is none. The library is loaded for the first one: few servers get any. */
export async function unsnap(bytes: Uint8Array): Promise<Buffer> {
  const { uncompress } = await import('snappy');
  return (await uncompress(bytes, { asBuffer: true })) as Buffer;
}
