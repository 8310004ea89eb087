/** One range of bytes, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Returns the range that a `Range` header requests; undefined when the whole content is to be sent: without the header,
 * or with another unit, an invalid range or several ranges, which a server may ignore (RFC 9110, 14.2). `none`: the range
 * contains no byte of the content.
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (!match || (from === '' && to === '')) return undefined;
  // `-500` are the last 500 bytes.
  const start = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && from !== '' && Number(to) < Number(from)) return undefined;
  return start > end ? 'none' : { start, end };
}
