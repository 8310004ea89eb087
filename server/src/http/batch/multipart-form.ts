/** A batch as `multipart/mixed` with `application/http` parts and change sets (OData 4.01 part 1, section 11.7.7). */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { BatchAnswer, BatchPart } from './parts.ts';

type Headers = Record<string, string>;

function unreadable(what: string): ApiError {
  return new ApiError('InvalidBody', `The batch cannot be read: ${what}.`);
}

function boundaryOf(contentType: string): string {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  if (!boundary || !/^multipart\/mixed\b/i.test(contentType)) throw unreadable('it is not multipart/mixed with a boundary');
  return boundary[1] ?? boundary[2] ?? '';
}

/** Returns head and body of a message; lines may end with a line feed alone. */
function split(text: string): { head: string[]; body: string } {
  const [blank] = /\r?\n\r?\n/.exec(text) ?? [];
  const at = blank === undefined ? -1 : text.indexOf(blank);
  const head = at < 0 ? text : text.slice(0, at);
  return { head: head.split(/\r?\n/), body: at < 0 ? '' : text.slice(at + (blank ?? '').length) };
}

function headersOf(lines: readonly string[]): Headers {
  return Object.fromEntries(
    lines
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        if (colon < 1) throw unreadable(`'${line.slice(0, 60)}' is not a header`);
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
}

interface MimePart {
  headers: Headers;
  body: string;
}

function partsOf(text: string, boundary: string): MimePart[] {
  const mark = boundary.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pieces = text.split(new RegExp(`(?:^|\\r?\\n)--${mark}(--)?[ \\t]*(?=\\r?\\n|$)`));
  // Each piece of content is followed by the text after its boundary, which is `--` at the end.
  const end = pieces.findIndex((piece, i) => i % 2 === 1 && piece === '--');
  if (end < 0) throw unreadable('its end is missing');
  return pieces
    .slice(2, end)
    .filter((_piece, i) => i % 2 === 0)
    .map((piece) => {
      const { head, body } = split(piece.replace(/^\r?\n/, ''));
      return { headers: headersOf(head), body };
    });
}

/** Returns the text without line breaks at its end. A pattern for them would look from each line break to the end of all. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  return text.slice(0, end);
}

function callOf({ headers, body }: MimePart, id: string, group: string | undefined): BatchPart {
  if (!/^application\/http\b/i.test(headers['content-type'] ?? '')) throw unreadable('a part is not application/http');
  const { head, body: content } = split(body.replace(/^(?:\r?\n)+/, ''));
  const [requestLine = '', ...lines] = head;
  const [, method = '', url = ''] = /^([A-Z]+) (\S+)(?: HTTP\/\d\.\d)?$/i.exec(requestLine.trim()) ?? [];
  if (method === '') throw unreadable(`'${requestLine.slice(0, 60)}' is not a request line`);
  const { host: _host, 'content-length': _length, ...sentHeaders } = headersOf(lines);
  // Line breaks before the boundary belong to the boundary.
  const payload = withoutEnd(content);
  return { id, method: method.toUpperCase(), url, headers: sentHeaders, body: payload === '' ? undefined : payload, group, dependsOn: [] };
}

export function readMultipart(contentType: string, bytes: Buffer): BatchPart[] {
  return partsOf(bytes.toString(), boundaryOf(contentType)).flatMap((part, i) => {
    const partType = part.headers['content-type'] ?? '';
    if (!/^multipart\/mixed\b/i.test(partType)) return [callOf(part, part.headers['content-id'] ?? `part ${i + 1}`, undefined)];
    const group = `change set ${i + 1}`;
    return partsOf(part.body, boundaryOf(partType)).map((inner, k) =>
      callOf(inner, inner.headers['content-id'] ?? `${group}.${k + 1}`, group),
    );
  });
}

const bytesOf = (text: string): Buffer => Buffer.from(text);

/** Returns the answer of a call as a part, in pieces; its body stays as it is. */
function httpPart({ id, group, status, headers, body }: BatchAnswer): Buffer[] {
  const isNamed = !/^(?:part|change set) \d/.test(id);
  const head = [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    ...(group !== undefined && isNamed ? [`Content-ID: ${id}`] : []),
    '',
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
  return [bytesOf(head), body];
}

function multipart(parts: readonly (readonly Buffer[])[]): { boundary: string; pieces: Buffer[] } {
  const boundary = `batch_${randomUUID()}`;
  const pieces = parts.flatMap((part) => [bytesOf(`--${boundary}\r\n`), ...part, bytesOf('\r\n')]);
  return { boundary, pieces: [...pieces, bytesOf(`--${boundary}--\r\n`)] };
}

export function writeMultipart(answers: readonly BatchAnswer[]): { contentType: string; pieces: Buffer[] } {
  const parts: Buffer[][] = [];
  for (let i = 0; i < answers.length; i++) {
    const answer = answers[i];
    if (!answer) continue;
    const { group } = answer;
    if (group === undefined || answer.status >= 400) {
      // A change set that failed has a single answer in its place.
      parts.push(httpPart(answer));
      continue;
    }
    const members = answers.filter((answer) => answer.group === group);
    const { boundary, pieces } = multipart(members.map(httpPart));
    parts.push([bytesOf(`Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`), ...pieces]);
    i += members.length - 1;
  }
  const { boundary, pieces } = multipart(parts);
  return { contentType: `multipart/mixed; boundary=${boundary}`, pieces };
}
