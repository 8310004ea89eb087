/** Bodies that a client compressed: unpacked before they are parsed, within limits, whatever the call is. */
import { Readable } from 'node:stream';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { isLargerThan, unsnap } from '../../platform/snappy.ts';

/** What zlib answers when it is asked for `info`: the bytes, and how many of the compressed ones it read for them. */
interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

type Unpack = (
  bytes: Buffer,
  options: { maxOutputLength: number; info: true },
  done: (error: Error | null, result: Buffer) => void,
) => void;

/** Whether deflated bytes have the wrapper of zlib, as the standard wants; some clients leave it out. */
const isWrapped = (bytes: Buffer): boolean => bytes.length > 1 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;

const unpackSnappy: Unpack = (bytes, { maxOutputLength }, done) => {
  const failed = (code: string): void => done(Object.assign(new Error('The block of snappy cannot be read.'), { code }), bytes);
  if (isLargerThan(bytes, maxOutputLength)) return failed('ERR_BUFFER_TOO_LARGE');
  unsnap(bytes).then(
    (buffer) => done(null, { buffer, engine: { bytesWritten: bytes.length } } as never),
    () => failed('ERR_SNAPPY'),
  );
  return undefined;
};

const encodings: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: (bytes, options, done) => (isWrapped(bytes) ? inflate : inflateRaw)(bytes, options, done),
  br: brotliDecompress,
  zstd: (bytes, options, done) => zstdDecompress(bytes, options, done),
  // Not registered, so answers do not offer it.
  snappy: unpackSnappy,
};

/** The header `Accept-Encoding` of an answer that refuses an encoding (RFC 9110, 12.5.3). */
const accepted = 'gzip, deflate, br, zstd';

const tooLarge = (max: number): ApiError => new ApiError('PayloadTooLarge', `The body has more than ${max} bytes when it is unpacked.`);

/** The largest size that bytes may become: the limit of the call, and for a large body a multiple that no real data reaches. */
function maxBytesOf(compressed: number, bodyLimit: number): number {
  return Math.min(bodyLimit, Math.max(limits.bodyBytes, compressed * limits.inflatedRatio));
}

async function readAll(payload: Readable, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > max) throw tooLarge(max);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const unpackOnce = (unpack: Unpack, bytes: Buffer, maxOutputLength: number): Promise<Inflated> =>
  new Promise((resolve, reject) => {
    unpack(bytes, { maxOutputLength, info: true }, (error, result) => (error ? reject(error) : resolve(result as unknown as Inflated)));
  });

/** A body may be several compressed pieces behind each other, as senders that flush write it; more than these only cost time. */
const maxPieces = 1_000;

async function unpacked(unpack: Unpack, encoding: string, bytes: Buffer, max: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for (let rest = bytes; rest.length > 0;) {
      const { buffer, engine } = await unpackOnce(unpack, rest, Math.max(1, max - size));
      size += buffer.length;
      if (size > max) throw tooLarge(max);
      if (engine.bytesWritten === 0 || pieces.push(buffer) > maxPieces) throw new Error('Nothing is left that could be unpacked.');
      rest = rest.subarray(engine.bytesWritten);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(max);
    throw new ApiError('InvalidBody', `The body is not ${encoding} as Content-Encoding says, or not the whole of it.`, {
      target: 'Content-Encoding',
    });
  }
}

/**
 * Lets every call read a body that is compressed as `Content-Encoding` says; limits hold for the unpacked bytes. Answers 415 to an
 * encoding that is not read here, and to files, which are written to disk as they arrive and are compressed by themselves.
 */
export function readCompressed(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity') return payload;
    const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
    const unpack = isForm || !Object.hasOwn(encodings, encoding) ? undefined : encodings[encoding];
    if (!unpack) {
      void reply.header('accept-encoding', isForm ? 'identity' : accepted);
      throw new ApiError(
        'UnsupportedMediaType',
        isForm
          ? 'Files are sent as they are, without Content-Encoding.'
          : `The encoding ${encoding} is not read here; there are ${accepted}.`,
        { target: 'Content-Encoding' },
      );
    }
    const { bodyLimit } = request.routeOptions;
    const bytes = await readAll(payload as Readable, bodyLimit);
    const plain = await unpacked(unpack, encoding, bytes, maxBytesOf(bytes.length, bodyLimit));
    // Fastify compares Content-Length with what arrived.
    return Object.assign(Readable.from([plain]), { receivedEncodedLength: bytes.length });
  });
}
