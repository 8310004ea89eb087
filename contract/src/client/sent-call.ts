/** What is sent for a declared call: method, address and body follow from its constant of `calls.ts` and its input. */
import type { AnyCall } from '../call.ts';
import { queryText, type ListQuery } from '../query/query-string.ts';

type InputValues = Readonly<Record<string, unknown>>;

/** The request of a call. */
export interface SentCall {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: InputValues;
}

const parameter = /\{(\w+)\}/g;

/** The query string: parameters, then the options of a list. */
function textOf(parameters: InputValues, query: ListQuery | undefined): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return [...pairs, query === undefined ? '' : queryText(query)].filter(Boolean).join('&');
}

/** Puts each value of the input where the call expects it: into the path, the query (of a read, and options of lists) or the body. */
export function sentBy(to: AnyCall, input: unknown): SentCall {
  const { query, ...values } = input as InputValues & { query?: ListQuery };
  const [method, template] = to.split(' ') as [SentCall['method'], string];
  const inPath = new Set([...template.matchAll(parameter)].map(([, name]) => name));
  const path = template.replaceAll(parameter, (_, name: string) => encodeURIComponent(String(values[name])));
  const others = Object.entries(values).filter(([name, value]) => value !== undefined && !inPath.has(name));
  const rest: InputValues = Object.fromEntries(others);
  const text = textOf(method === 'GET' ? rest : {}, query);
  const address = text === '' ? path : `${path}?${text}`;
  return method === 'GET' || others.length === 0 ? { method, path: address } : { method, path: address, body: rest };
}
