/** The text of a file that a spreadsheet or an editor wrote in one of the usual encodings. */

const begins = (bytes: Uint8Array, ...mark: readonly number[]): boolean => mark.every((byte, at) => bytes[at] === byte);

/** Whether most of every second byte is zero, as in Western texts in UTF-16. */
function zerosAt(bytes: Uint8Array, offset: 0 | 1): boolean {
  const some = bytes.subarray(0, 2_000);
  const half = some.filter((_, at) => at % 2 === offset);
  return half.length > 1 && half.filter((byte) => byte === 0).length > half.length * 0.6;
}

/** Reads UTF-8 and UTF-16 with or without a byte order mark, otherwise Windows-1252. */
export function textOfFile(bytes: Uint8Array): string {
  if (begins(bytes, 0xff, 0xfe) || zerosAt(bytes, 1)) return new TextDecoder('utf-16le').decode(bytes);
  if (begins(bytes, 0xfe, 0xff) || zerosAt(bytes, 0)) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
