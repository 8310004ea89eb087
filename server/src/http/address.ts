/** OData allows several spellings of one address. They are converted here to the one spelling that the router knows. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';

const ofApi = /^\/(?:v1|api)(?:\/|$)/i;
/** Matches characters of OData's syntax that clients may percent-encode: `$ ' ( ) , = @`. */
const encodedSign = /%(?:24|27|28|29|2c|3d|40)/gi;
const call = /^(?:CloudFit\.)?(\w+)\((.*)\)$/i;
const argument = /^(\w+)=(.+)$/;

/**
 * Returns the one spelling of an address: `/v1/Locations` for `/api/v1/Locations/`, `workUnits/5` for `workUnits(5)` and
 * `workUnits(workUnitId=5)`, `Export` for `Export()`. Arguments of a bound function become segments:
 * `CloudFit.GetX(a=1,b=2)` is `GetX/a/1/b/2`. The query is unchanged.
 */
export function plainAddress(url: string): string {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!ofApi.test(path)) return url;
  const plain = path.replace(/^\/api(?=\/v1(?:\/|$))/i, '').replace(/(?<=.)\/$/, '');
  const written = /[(%]/.test(plain) ? plain.split('/').map(plainSegment).join('/') : plain;
  return mark < 0 ? written : written + url.slice(mark);
}

/** Converts one segment of a path; the segment with `index` 2 is the set: `/v1/set`. */
function plainSegment(segment: string, index: number): string {
  const text = segment.replaceAll(encodedSign, decodeURIComponent);
  const [, name, inner = ''] = call.exec(text) ?? [];
  if (name === undefined) return text;
  if (index <= 2) return inner === '' ? text : `${name}/${keyIn(name, inner)}`;
  if (inner === '') return name;
  const values = inner.split(/,(?=\w+=)/).map((text) => argument.exec(text)?.slice(1));
  return [name, ...values.map((pair) => pair?.join('/') ?? inner)].join('/');
}

/** Returns the key of `set(5)` or of `set(workUnitId=5)`. */
function keyIn(set: string, inner: string): string {
  const [, name, value = ''] = argument.exec(inner) ?? [];
  return name !== undefined && name === findResource(set)?.key ? value : inner;
}

/** The path of an address, without the query. */
export function plainPath(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** The path as the caller wrote it, for links in answers: `/v1` also for callers of `/api/v1`. */
export function writtenPath(url: string): string {
  return plainPath(url).replace(/^\/api(?=\/v1(?:\/|$))/i, '');
}

/** The router's pattern of a declared path: `/v1/rules/{id}/explain` becomes `/v1/rules/:id/explain`. */
export function routePattern(path: string): string {
  return plainAddress(path).replaceAll(/\{(\w+)\}/g, ':$1');
}

export function nothingHere(): ApiError {
  return new ApiError('NotFound', 'There is nothing at this address.');
}

/** Parameters of the path; surrounding quotes are removed. */
export function pathParameters(request: { params: unknown }): Record<string, string> {
  const parameters = Object.entries(request.params as Record<string, string>);
  if (parameters.some(([, value]) => value === '')) throw nothingHere();
  return Object.fromEntries(parameters.map(([name, value]) => [name, unquoted(value)]));
}

export function unquoted(text: string): string {
  return text.length > 1 && text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}

export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}
