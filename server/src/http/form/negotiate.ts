/** Negotiates the form of an answer with OData clients: versions, `Accept` and `$format`. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@cloudfit/contract/errors.ts';

export const odataVersion = '4.0';

export interface JsonForm {
  /** 64-bit and decimal numbers are sent as text. */
  ieee754: boolean;
}

const plainForm: JsonForm = { ieee754: false };

interface MediaRange {
  type: string;
  quality: number;
  ieee754: boolean;
}

function one(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((p) => p.startsWith('q='));
  return { type, quality: quality ? Number(quality.slice(2)) || 0 : 1, ieee754: parameters.includes('ieee754compatible=true') };
}

function ranges(accept: string | undefined): MediaRange[] {
  return (accept ?? '')
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(one);
}

/** Returns the media ranges that the client accepts; `$format` takes precedence over `Accept`. */
function acceptedRanges(headers: IncomingHttpHeaders, rawQuery: string): MediaRange[] {
  const [, format] = /(?:^|&)(?:\$|%24)?format=([^&]*)/i.exec(rawQuery) ?? [];
  if (format === undefined) return ranges(headers.accept);
  const text = decoded(format);
  return [one(/^(json|xml)(;|$)/i.test(text) ? `application/${text}` : text)];
}

/** The quality of the best of these types; 0 if the client accepts none of them. */
function best(accepted: readonly MediaRange[], types: readonly string[]): number {
  return Math.max(0, ...accepted.filter(({ type }) => types.includes(type)).map(({ quality }) => quality));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError('InvalidQueryOption', 'The query has a percent sign without two hexadecimal digits. Write a percent sign as %25.', {
      target: '$format',
    });
  }
}

function notAcceptable(offered: string): ApiError {
  return new ApiError('NotAcceptable', `This call answers as ${offered} only. Allow that in the Accept header.`, { target: 'Accept' });
}

/** Throws 400 for clients of another protocol version. */
export function requireVersion(headers: IncomingHttpHeaders): void {
  const { 'odata-maxversion': maxVersion, 'odata-version': version } = headers;
  if (maxVersion !== undefined && !(Number(maxVersion) >= 4))
    throw new ApiError('InvalidQueryOption', 'This service supports OData 4.0 only. Send that version, or leave the header out.', {
      target: 'OData-MaxVersion',
    });
  if (version !== undefined && !['4.0', '4.01'].includes(String(version)))
    throw new ApiError('InvalidQueryOption', 'This service supports OData 4.0 only. Send that version, or leave the header out.', {
      target: 'OData-Version',
    });
}

/** Returns the form of a JSON answer. Throws 406 when the client does not accept JSON. */
export function negotiateJson(headers: IncomingHttpHeaders, rawQuery: string): JsonForm {
  const accepted = acceptedRanges(headers, rawQuery);
  if (accepted.length === 0) return plainForm;
  const jsonRanges = accepted.filter(({ type, quality }) => quality > 0 && ['application/json', 'application/*', '*/*'].includes(type));
  if (jsonRanges.length === 0) throw notAcceptable('application/json');
  return { ieee754: jsonRanges.some(({ ieee754 }) => ieee754) };
}

/**
 * Returns `xml` for every client that accepts it, even as its last choice: Power Query lists it last and cannot read
 * the model as JSON.
 */
export function negotiateMetadata(headers: IncomingHttpHeaders, rawQuery: string): 'xml' | 'json' {
  const accepted = acceptedRanges(headers, rawQuery);
  if (accepted.length === 0) return 'xml';
  const json = best(accepted, ['application/json']);
  const anything = best(accepted, ['application/*', '*/*']);
  if (best(accepted, ['application/xml', 'text/xml']) > 0) return 'xml';
  if (json === 0 && anything === 0) throw notAcceptable('application/xml or application/json');
  return json > anything ? 'json' : 'xml';
}

/** Returns `json` for a client that prefers JSON, otherwise `csv`. */
export function negotiateExport(headers: IncomingHttpHeaders, rawQuery: string): 'csv' | 'json' {
  const accepted = acceptedRanges(headers, rawQuery);
  return best(accepted, ['application/json']) > best(accepted, ['text/csv', 'text/*', '*/*']) ? 'json' : 'csv';
}

/** Whether the client prefers CSV to the JSON that a call answers by default. */
export function prefersCsv(headers: IncomingHttpHeaders, rawQuery: string): boolean {
  const accepted = acceptedRanges(headers, rawQuery);
  return best(accepted, ['text/csv']) > best(accepted, ['application/json', 'application/*', '*/*']);
}

export function contentType({ ieee754 }: JsonForm): string {
  return `application/json;odata.metadata=minimal${ieee754 ? ';IEEE754Compatible=true' : ''};charset=utf-8`;
}
