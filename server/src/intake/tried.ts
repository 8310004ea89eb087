/** A payload that a person tries: a text, which for senders of protobuf is base64 of what they send. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { SourceKind } from '@cloudfit/contract/sources/kinds.ts';
import { isLargerThan, unsnap } from '../platform/snappy.ts';
import type { Payload } from './readings.ts';

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function bytesOf(text: string, what: string): Buffer {
  const written = text.replaceAll(/\s+/g, '');
  if (!base64.test(written)) throw new ApiError('InvalidBody', `Paste ${what} in base64.`);
  return Buffer.from(written, 'base64');
}

const maxBytes = 1_048_576;

/** A block of snappy, as it is sent, or what was in it. */
async function unpacked(bytes: Buffer): Promise<Buffer> {
  if (isLargerThan(bytes, maxBytes)) return bytes;
  try {
    return await unsnap(bytes);
  } catch {
    return bytes;
  }
}

export async function triedPayload(kind: SourceKind, body: string): Promise<Payload> {
  const payload: Payload = {
    method: 'POST',
    path: '',
    query: new URLSearchParams(),
    contentType: '',
    headers: {},
    bytes: Buffer.from(body),
  };
  const isJson = /^\s*[[{]/.test(body);
  if (kind === 'OpenTelemetry')
    return isJson
      ? { ...payload, contentType: 'application/json' }
      : { ...payload, path: '/v1/metrics', contentType: 'application/x-protobuf', bytes: bytesOf(body, 'JSON, or protobuf of metrics') };
  if (kind === 'RemoteWrite')
    return { ...payload, contentType: 'application/x-protobuf', bytes: await unpacked(bytesOf(body, 'the body of a request')) };
  return payload;
}
