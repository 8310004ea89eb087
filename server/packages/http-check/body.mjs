/** Decodes the body of an answer: its compression and its characters. */
import { pipeline, Writable } from 'node:stream';
import zlib from 'node:zlib';

/** Maximum number of bytes, after decompression, that are searched for the text. */
export const bodyMax = 4 * 1024 ** 2;
export const shownMax = '4 MiB';

const decompressors = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  br: zlib.createBrotliDecompress,
  // Not every Node has it.
  ...(zlib.createZstdDecompress ? { zstd: zlib.createZstdDecompress } : {}),
};

/** What a request asks for; an answer is also decoded if it was not asked for. */
export const acceptedEncodings = ['gzip', 'deflate', 'br', ...(decompressors.zstd ? ['zstd'] : [])].join(', ');

/** Deflate should be wrapped by zlib, and is not by some servers. */
const inflate = (bytes) =>
  (bytes[0] & 0x0f) === 8 && (bytes[0] * 256 + bytes[1]) % 31 === 0 ? zlib.createInflate() : zlib.createInflateRaw();

/** Decompresses up to `bodyMax` bytes, whatever the bytes would become in all. Throws if they are damaged. */
function decompress(bytes, decompressor) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let length = 0;
    const sink = new Writable({
      write: (part, _encoding, done) => {
        parts.push(part);
        length += part.length;
        if (length <= bodyMax) return done();
        decompressor.destroy();
        done();
      },
    });
    const result = () => resolve(Buffer.concat(parts));
    pipeline(decompressor, sink, (error) => (error && length <= bodyMax ? reject(error) : result()));
    decompressor.end(bytes);
  });
}

/**
 * Returns the bytes without compression. `isCut`: there are more than were read. `unreadable` says why they cannot be read.
 */
export async function decoded(bytes, isCut, contentEncoding = '') {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((text) => text.trim())
    .filter((item) => item !== '' && item !== 'identity');
  let [plain, isShort] = [bytes, isCut];
  for (const encoding of encodings.toReversed()) {
    if (plain.length === 0) break;
    const create = encoding === 'deflate' ? () => inflate(plain) : decompressors[encoding];
    if (!create) return { unreadable: `The answer has the encoding ${encoding}, which this check cannot read` };
    try {
      plain = await decompress(plain, create());
    } catch (error) {
      // The end is missing, because it was not read.
      if (isShort) return { unreadable: `Only the first ${shownMax} of the compressed answer were read` };
      return { unreadable: `The compressed answer (${encoding}) is damaged: ${error.message}` };
    }
    isShort ||= plain.length > bodyMax;
  }
  return { bytes: plain.subarray(0, bodyMax), isCut: isShort || plain.length > bodyMax };
}

const boms = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
/** `<meta charset="...">`, `<meta http-equiv ... content="text/html; charset=...">` and `<?xml encoding="..."?>`. */
const declaredInside = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)|^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i;

/** Returns the text of the bytes, by byte order mark, header, declaration in the text, or as UTF-8 or else Windows-1252. */
export function textOf(bytes, contentType = '') {
  const marked = boms.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const declared = /charset\s*=\s*"?\s*([\w:.-]+)/i.exec(contentType)?.[1];
  const [, meta, xml] = declaredInside.exec(bytes.subarray(0, 2_048).toString('latin1')) ?? [];
  for (const label of [marked, declared, meta ?? xml, undefined]) {
    try {
      if (label) return new TextDecoder(label).decode(bytes);
      // The last character may be cut.
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    } catch {
      // A label that nobody knows, or bytes that are not UTF-8: the next one.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}
