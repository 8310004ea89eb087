/**
 * A client of the API: rows of every entity, every declared call, and changes as they happen, typed by the declarations of the
 * server. It runs in Node 20 and newer, and in browsers.
 */
import type { AnyCall, CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import type { FieldName, Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import type { NamedResource, ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { sentBy } from '@cloudfit/contract/client/sent-call.ts';
import { readLiveChanges, type LiveChange, type FollowOptions } from './live-changes.ts';
import { createSend, notOfApi, type CloudFitOptions, type RequestSettings, type SentRequest } from './send.ts';

/** The rows that a list reads. Their type follows from what is expanded and selected. */
export interface ReadQuery<
  Name extends ResourceName,
  Item extends ExpandItem<NamedResource<Name>> = never,
  Selected extends FieldName<NamedResource<Name>> = never,
> extends Omit<ListQuery<NamedResource<Name>>, 'apply' | 'expand' | 'select'> {
  expand?: readonly Item[] | undefined;
  select?: readonly Selected[] | undefined;
}

/** A page of a list. */
export interface RowPage<T> {
  value: T[];
  /** How many rows there are in all, where the query counts. */
  '@odata.count'?: number;
  /** The address of the next page; absent on the last one. */
  '@odata.nextLink'?: string;
}

/** How the rows of one entity are named: `devices`, `workUnits`. */
type Key = string | number;

export interface CloudFitClient {
  /** Sends a declared call, a constant of `@cloudfit/client/calls`, and returns its answer. */
  call<C extends AnyCall>(to: C, input: CallInput<C>, options?: RequestSettings): Promise<CallOutput<C>>;
  /** Sends a declared call whose answer is no JSON: a file, an image, a text. */
  file<C extends AnyCall>(to: C, input: CallInput<C>, options?: RequestSettings): Promise<Response>;
  /** Returns one page of a list, by default of 100 rows. */
  list<
    Name extends ResourceName,
    const Item extends ExpandItem<NamedResource<Name>> = never,
    const Selected extends FieldName<NamedResource<Name>> = never,
  >(
    name: Name,
    query?: ReadQuery<Name, Item, Selected>,
    options?: RequestSettings,
  ): Promise<RowPage<ExpandedRow<NamedResource<Name>, Item, Selected>>>;
  /** Goes through all rows of a list, page by page: what comes and goes meanwhile doubles and hides no row that stays. */
  rows<
    Name extends ResourceName,
    const Item extends ExpandItem<NamedResource<Name>> = never,
    const Selected extends FieldName<NamedResource<Name>> = never,
  >(
    name: Name,
    query?: ReadQuery<Name, Item, Selected>,
    options?: RequestSettings,
  ): AsyncGenerator<ExpandedRow<NamedResource<Name>, Item, Selected>, void, undefined>;
  /** Returns one row. */
  read<
    Name extends ResourceName,
    const Item extends ExpandItem<NamedResource<Name>> = never,
    const Selected extends FieldName<NamedResource<Name>> = never,
  >(
    name: Name,
    key: Key,
    query?: Pick<ReadQuery<Name, Item, Selected>, 'expand' | 'select'>,
    options?: RequestSettings,
  ): Promise<ExpandedRow<NamedResource<Name>, Item, Selected>>;
  /** Creates a row. A repeat after an unclear answer makes nothing twice. */
  create<Name extends ResourceName>(
    name: Name,
    values: RowInput<NamedResource<Name>>,
    options?: RequestSettings,
  ): Promise<Row<NamedResource<Name>>>;
  /** Changes the fields that are named. */
  change<Name extends ResourceName>(
    name: Name,
    key: Key,
    values: RowInput<NamedResource<Name>>,
    options?: RequestSettings,
  ): Promise<Row<NamedResource<Name>>>;
  /** Deletes a row. */
  remove(name: ResourceName, key: Key, options?: RequestSettings): Promise<void>;
  /** Tells which rows change, as it happens, for as long as the loop runs; connects again after each interruption. */
  changes(options?: FollowOptions): AsyncGenerator<LiveChange, never, undefined>;
}

/** Returns a client of one server in the name of one caller. */
export function createClient(options: CloudFitOptions): CloudFitClient {
  const send = createSend(options);

  async function json<T>(request: SentRequest): Promise<T> {
    const answer = await send(request);
    // The declarations of the server say which type the JSON has.
    const body = answer.status === 204 ? undefined : await answer.json().catch(() => Promise.reject(notOfApi(answer, options.server)));
    return body;
  }

  const pathOf = (name: string, key: Key) => `/v1/${name}(${encodeURIComponent(key)})`;
  const withQuery = (path: string, text: string) => (text === '' ? path : `${path}?${text}`);

  return {
    call: (to, input, callOptions) => json({ ...sentBy(to, input), ...callOptions }),
    file: (to, input, callOptions) => send({ ...sentBy(to, input), accept: '*/*', ...callOptions }),
    list: (name, query = {}, callOptions) => json({ method: 'GET', path: withQuery(`/v1/${name}`, queryText(query)), ...callOptions }),
    rows: (name, query = {}, callOptions) =>
      allRows(withQuery(`/v1/${name}`, queryText(query)), (path) => json({ method: 'GET', path, ...callOptions })),
    read: (name, key, query = {}, callOptions) =>
      json({ method: 'GET', path: withQuery(pathOf(name, key), queryText(query)), ...callOptions }),
    create: (name, values, callOptions) =>
      json({ method: 'PUT', path: `/v1/${name}`, body: values, idempotencyKey: crypto.randomUUID(), ...callOptions }),
    // PATCH with a plain object, because a repeat of it changes nothing more.
    change: (name, key, values, callOptions) => json({ method: 'PATCH', path: pathOf(name, key), body: values, ...callOptions }),
    remove: async (name, key, callOptions) => {
      const answer = await send({ method: 'DELETE', path: pathOf(name, key), ...callOptions });
      await answer.body?.cancel();
    },
    changes: (liveOptions) => readLiveChanges(send, liveOptions),
  };
}

async function* allRows<T>(first: string, pageAt: (path: string) => Promise<RowPage<T>>): AsyncGenerator<T, void, undefined> {
  let path: string | undefined = first;
  while (path !== undefined) {
    const page: RowPage<T> = await pageAt(path);
    yield* page.value;
    const next = page['@odata.nextLink'];
    // The link has the public name of the server. Only its path is used, so the token goes nowhere else.
    const { pathname, search } = new URL(next ?? first, 'http://server');
    path = next === undefined ? undefined : pathname + search;
  }
}
