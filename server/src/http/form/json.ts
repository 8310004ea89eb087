/** Parsers of bodies: JSON up to the depth limit, multipart batches, NDJSON, and forms if the route takes them. */
import { isUtf8 } from 'node:buffer';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { isExact, largestObject, writtenValue, type WrittenValue } from '../../ingest/exact-json.ts';
import { parseSafely, PoisonedJson } from '../../ingest/safe-json.ts';

/**
 * Parses a body. Throws when brackets nest deeper than the limit: such text can be parsed, but would overflow recursive
 * functions. Throws for so many values, or properties of one object, that reading them would keep other callers waiting.
 */
function parse({ bytes, depth, commas, properties }: WrittenValue): unknown {
  if (commas > limits.bodyValues) throw new ApiError('InvalidBody', `The body has more than ${limits.bodyValues} values.`);
  if (properties > limits.objectProperties && largestObject(bytes) > limits.objectProperties)
    throw new ApiError('InvalidBody', `An object of the body has more than ${limits.objectProperties} properties.`);
  const text = bytes.toString();
  if (text.trim() === '') return undefined;
  if (depth > limits.jsonDepth) throw new ApiError('InvalidBody', `The body nests deeper than ${limits.jsonDepth} levels.`);
  try {
    return withWholeCharacters(parseSafely(text), text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof PoisonedJson)
      throw new ApiError('InvalidBody', 'A property of the body must not be named __proto__ or constructor.');
    throw new ApiError('InvalidBody', `The body is not JSON: ${messageOf(error)}`);
  }
}

// Half of a character can stand in JSON only escaped. The driver of PostgreSQL would store a mark in its place.
const half = /\\ud[89a-f]/i;

/** Returns the value; throws if one of its texts has half of a character. */
function withWholeCharacters(value: unknown, json: string): unknown {
  if (!half.test(json)) return value;
  const at = halfIn(value, []);
  if (at) throw new ApiError('InvalidBody', `${at.join('.') || 'The body'} has half of a character.`, { target: at.join('.') });
  return value;
}

/** The path of the first text with half of a character. */
function halfIn(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, part] of Object.entries(value)) {
    const at = name.isWellFormed() ? halfIn(part, [...path, name]) : [...path, name.toWellFormed()];
    if (at) return at;
  }
  return undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route gets a JSON body as bytes if it is large, to parse it in pieces, or if parsing would change or refuse it. Other
     * routes get it parsed; of properties with one name, the last counts.
     */
    takesBytes?: boolean;
    /** The route gets the body of a form as text. */
    takesForm?: boolean;
  }
}

/** Bytes above which a route with `takesBytes` gets the body unparsed: parsing a smaller body takes less than a millisecond. */
const largeBytes = 65_536;
const formBytes = 16_384;

/** Returns the bytes without the byte order mark that some programs write before text in UTF-8. */
export const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const asJson: FastifyBodyParser<Buffer> = (request, received, done) => {
    const bytes = withoutMark(received);
    const { takesBytes = false } = request.routeOptions.config;
    try {
      if (!takesBytes && !isUtf8(bytes)) throw new ApiError('InvalidBody', 'The body is not valid UTF-8.');
      if (takesBytes && bytes.length > largeBytes) return done(null, bytes);
      // Parses all bytes, because text after the value makes the body invalid.
      const written = { ...writtenValue(bytes), bytes };
      const value = parse(written);
      return done(null, takesBytes && value !== undefined && !isExact(written, value) ? bytes : value);
    } catch (error) {
      // The route finds out which item of the body is wrong.
      return takesBytes ? done(null, bytes) : done(error as Error);
    }
  };
  const asBytes: FastifyBodyParser<Buffer> = (_request, bytes, done) => done(null, withoutMark(bytes));
  app.addContentTypeParser(
    ['application/json', 'application/json-patch+json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    asJson,
  );
  // The parts of a batch are parsed by its route.
  app.addContentTypeParser('multipart/mixed', { parseAs: 'buffer' }, asBytes);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: formBytes }, (request, text, done) =>
    request.routeOptions.config.takesForm
      ? done(null, text)
      : done(new ApiError('UnsupportedMediaType', 'This content type is not supported; send application/json.')),
  );
  app.addContentTypeParser('application/x-ndjson', { parseAs: 'buffer' }, asBytes);
}
