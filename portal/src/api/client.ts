/** Calls of the API: adds the bearer token, converts errors to one form, handles 401 and 403. */
import { useState } from 'react';
import type { ErrorBody, ErrorDetail } from '@cloudfit/contract/errors.ts';
import { shownError } from '@cloudfit/contract/messages/api-texts.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { isAnswer, noteAnswer, noteSilence, slowMs } from './connection.ts';
import { impersonationHeaders } from './see-as.ts';
import { accessToken, renew, sessionRefused } from './session.ts';
import { learnNow } from '../theme/now.ts';

/** The time in which an answer must begin, for calls that read JSON and for short writes. */
export const answerMs = 15_000;

/** A call that failed. `status` is the HTTP status of the response, or 0 without a response. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly Partial<ErrorDetail>[];
  /** Whether the shell has already shown a message about this error. */
  isTold = false;

  constructor(status: number, message: string, code = '', details: readonly Partial<ErrorDetail>[] = []) {
    super(message);
    this.name = 'RequestFailed';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export interface CallOptions {
  method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal | undefined;
  accept?: string;
  /** Whether a POST creates something, as each PUT of the API does. */
  creates?: boolean;
  /** The form that creates something, by `useFormId`: it makes one row, though its content changes after a try without an answer. */
  form?: string;
  /** Of a call within `createOnce`: the key by which the server recognises a repeat, makes nothing and sends the first answer. */
  idempotencyKey?: string;
  /** The header of this name. */
  prefer?: string;
  /** Whether a 403 of this call shows no message. */
  quiet?: boolean;
  /** The time in which the answer must begin, in milliseconds. By default `answerMs` for calls that read JSON, otherwise none. */
  limitMs?: number;
}

let onForbidden: () => void = () => undefined;

/** Registers how the shell shows a 403. */
export function whenForbidden(listener: () => void) {
  onForbidden = listener;
}

async function send(path: string, options: CallOptions, token: string | undefined): Promise<Response> {
  const headers: Record<string, string> = {
    accept: options.accept ?? 'application/json',
    // That of the portal, which need not be the browser's.
    'accept-language': document.documentElement.lang || 'en',
    ...impersonationHeaders(),
  };
  if (token) headers['authorization'] = `Bearer ${token}`;
  if (options.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey;
  if (options.prefer) headers['prefer'] = options.prefer;
  if (options.body !== undefined) headers['content-type'] = options.contentType ?? 'application/json';
  const method = options.method ?? 'GET';
  const limitMs = options.limitMs ?? (method === 'GET' && options.accept === undefined ? answerMs : undefined);
  const late = new AbortController();
  const limit = limitMs === undefined ? undefined : setTimeout(() => late.abort(), limitMs);
  const slow = setTimeout(noteSilence, slowMs);
  const askedMs = Date.now();
  try {
    const answer = await fetch(path, {
      method,
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      signal: options.signal ? AbortSignal.any([options.signal, late.signal]) : late.signal,
    });
    // A file that the browser has stored has the date of its download.
    if (!answer.headers.get('cache-control')?.includes('max-age')) learnNow(answer.headers.get('date'), askedMs);
    if (isAnswer(answer.status)) noteAnswer();
    else noteSilence();
    return answer;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    noteSilence();
    throw new RequestFailed(0, late.signal.aborted ? en.failure.noAnswer : en.failure.network);
  } finally {
    clearTimeout(limit);
    clearTimeout(slow);
  }
}

async function failure(answer: Response): Promise<RequestFailed> {
  const fallback = answer.status === 403 ? en.failure.forbidden : answer.status >= 500 ? en.failure.server : en.failure.unknown;
  try {
    const body = (await answer.json()) as Partial<ErrorBody>;
    const error = body.error && (await shownError(body.error));
    const text = error?.target === 'idempotency-key' ? en.failure.sentBefore : error?.message;
    return new RequestFailed(answer.status, text ?? fallback, error?.code, error?.details);
  } catch {
    return new RequestFailed(answer.status, fallback);
  }
}

/**
 * Sends a request with the access token. At a 401, renews the token and sends once more, before the person has to sign in.
 * Throws `RequestFailed`.
 */
export async function sendSigned(send: (token: string | undefined) => Promise<Response>, quiet = false): Promise<Response> {
  let answer = await send(await accessToken());
  if (answer.status === 401 && (await renew())) answer = await send(await accessToken());
  if (answer.ok) return answer;
  const error = await failure(answer);
  if (answer.status === 401) {
    // The sign-in page shows the message.
    error.isTold = true;
    sessionRefused();
  }
  if (answer.status === 403 && !quiet) {
    error.isTold = true;
    onForbidden();
  }
  throw error;
}

export function request(path: string, options: CallOptions = {}): Promise<Response> {
  return sendSigned((token) => send(path, options, token), options.quiet);
}

async function readJson<T>(path: string, options: CallOptions): Promise<T> {
  const answer = await request(path, options);
  return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T);
}

export function callJson<T>(path: string, options: CallOptions = {}): Promise<T> {
  if (options.idempotencyKey !== undefined || (options.method !== 'PUT' && !options.creates)) return readJson(path, options);
  const content = `${path} ${JSON.stringify(options.body)}`;
  return createOnce(content, (idempotencyKey) => readJson<T>(path, { ...options, idempotencyKey }), options.form);
}

/** The id of a form, made when it opens. */
export function useFormId(): string {
  return useState(() => crypto.randomUUID())[0];
}

interface Creation {
  idempotencyKey: string;
  content: string;
  begun: number;
  /** Absent after a try whose outcome is not known. */
  answer?: Promise<unknown>;
}

/** What is being created, and what may have been created, by the form, or by what was sent without one. */
const creations = new Map<string, Creation>();

/** How long a repeat of a create without an answer and without a form is taken for the same create. */
const repeatMs = 600_000;

/**
 * Creates what a form sends one time, though a button is pressed twice before it rests: a second call with the same content joins the
 * first. When no answer has come, a repeat has the key of the first try, so the server makes nothing twice; other content of the same form
 * is then refused if the first was stored. A refusal is definite, so what follows it has a new key.
 */
export function createOnce<T>(content: string, create: (idempotencyKey: string) => Promise<T>, form = content): Promise<T> {
  const before = creations.get(form);
  // The same content is sent to the same call, whose answers have one type.
  if (before?.answer) return before.content === content ? (before.answer as Promise<T>) : create(crypto.randomUUID());
  const isRepeat = before !== undefined && (form !== content || Date.now() - before.begun < repeatMs);
  const creation: Creation = isRepeat ? { ...before, content } : { idempotencyKey: crypto.randomUUID(), content, begun: Date.now() };
  const answer = create(creation.idempotencyKey).then(
    (value) => {
      creations.delete(form);
      return value;
    },
    (error: unknown) => {
      if (error instanceof RequestFailed && error.status >= 400 && error.status < 500) creations.delete(form);
      else delete creation.answer;
      throw error;
    },
  );
  creation.answer = answer;
  creations.set(form, creation);
  return answer;
}

export function failureText(error: unknown): string {
  return error instanceof Error ? error.message : en.failure.unknown;
}
