/** What the HTTP room asks of its parts and what they answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Form } from './negotiate.ts';
import type { ApiPath } from './path.ts';

export interface Asked {
  method: string;
  path: ApiPath;
  body: unknown;
  headers: IncomingHttpHeaders;
  /** The server's public address, for absolute links. */
  origin: string;
  form: Form;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** A body that is JSON text already. */
  json?: string;
  headers?: Record<string, string>;
}

/** Address of the part of the model that describes an answer. */
export function contextUrl({ origin }: Asked, fragment: string): string {
  return `${origin}/v1/$metadata#${fragment}`;
}

/** A header that may come once; several are taken as one. */
export function header(asked: Asked, name: string): string | undefined {
  const value = asked.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
