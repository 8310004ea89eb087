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

/** Returns a decoded text; none if the bytes are not in the encoding or nobody knows it. The last character may be cut. */
function readAs(label, bytes) {
  try {
    return [new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true })];
  } catch {
    return [];
  }
}

/**
 * Returns what the bytes may say: by byte order mark, or else by header, by declaration in the text, and as UTF-8. Servers and pages
 * often declare another encoding than they use, so that a text counts as present if one of these readings has it.
 */
export function textsOf(bytes, contentType = '') {
  const marked = boms.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const declared = /charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(contentType)?.[1];
  const [, meta, xml] = declaredInside.exec(bytes.subarray(0, 2_048).toString('latin1')) ?? [];
  const labels = marked ? [marked] : [declared, meta ?? xml, 'utf-8'];
  const texts = labels.flatMap((label) => (label ? readAs(label, bytes) : []));
  // A page with a damaged character is still a page.
  return texts.length > 0 ? texts : [new TextDecoder().decode(bytes), new TextDecoder('windows-1252').decode(bytes)];
}
