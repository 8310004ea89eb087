/** What a handler of the API reads from a request, and how it sends its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TextAnswer } from '../resources/action.ts';
import { isCsvFile } from '../resources/csv.ts';
import { plainPath, queryOf, writtenPath } from './address.ts';
import { sendCsv } from './form/exports.ts';
import { contentType, negotiateJson, type JsonForm } from './form/negotiate.ts';

export interface ApiRequest {
  method: string;
  /** The path of the request, without the query, in the spelling that the router knows. */
  path: string;
  /** The path as the caller wrote it, without `/api` and without the query. */
  writtenPath: string;
  rawQuery: string;
  body: unknown;
  headers: IncomingHttpHeaders;
  /** The server's public address, for absolute links. */
  origin: string;
  form: JsonForm;
}

export interface ApiAnswer {
  status: number;
  body?: unknown;
  /** A body that is already JSON, as text or as the bytes of a long one. */
  json?: string | Buffer;
  /** A body that is plain text. */
  text?: string;
  headers?: Record<string, string>;
}

/** Reads what a handler needs from the request. Throws 406 when the caller does not accept JSON. */
export function readRequest(request: FastifyRequest, origin: string): ApiRequest {
  const { method, url, originalUrl, body, headers } = request;
  const rawQuery = queryOf(url);
  const form = negotiateJson(headers, rawQuery);
  return { method, path: plainPath(url), writtenPath: writtenPath(originalUrl), rawQuery, body, headers, origin, form };
}

/** The context URL: the part of the OData model that describes an answer. */
export function contextUrl({ origin }: ApiRequest, fragment: string): string {
  return `${origin}/v1/$metadata#${fragment}`;
}

/** Reads a header that should occur once; several values are joined. */
export function header(request: ApiRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

export function sendAnswer(reply: FastifyReply, form: JsonForm, { status, body, json, text: plain, headers }: ApiAnswer): FastifyReply {
  if (headers) void reply.headers(headers);
  if (plain !== undefined) return reply.code(status).type('text/plain; charset=utf-8').send(plain);
  const content = json ?? (body === undefined ? undefined : JSON.stringify(body));
  return content === undefined ? reply.code(status).send() : reply.code(status).type(contentType(form)).send(content);
}

/** Sends the result of an action, which determines the form of its answer: a row, a text, a file of rows, or nothing. */
export function sendResult(reply: FastifyReply, result: unknown): FastifyReply {
  if (isCsvFile(result)) return sendCsv(reply, result);
  if (result instanceof TextAnswer) return reply.type(result.contentType).send(result.text);
  return result === undefined ? reply.code(204).send() : reply.send(result);
}

export function sendCount(reply: FastifyReply, count: number): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(String(count));
}
