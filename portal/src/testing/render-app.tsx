/** Renders the whole portal at an address, signed in, with canned answers instead of a server. */
import { cleanup, render } from '@testing-library/react';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import type { CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import * as declared from '@cloudfit/contract/calls.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import type { FieldName, RelationName, Row } from '@cloudfit/contract/resource.ts';
import { resources, type NamedResource, type ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { loadFloating } from '../components/overlay/floating.tsx';
import { queryClient } from '../api/query-client.ts';
import { startSession } from '../api/session.ts';
import { Providers } from '../app/providers.tsx';
import { routes } from '../app/router.tsx';

export const tenantId = '01a1fcdb-e331-70c1-ba47-fd1610462aee';
export const subscriptionId = '01a1fcdb-e335-7785-970a-52804d43e672';

export interface ApiCall {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  /** The name of the declared call. */
  name?: CallName;
  /** Parameters of the path and the query, and properties of the body. */
  input: object;
  /** Whether it was sent as a part of a batch, which is a call itself. */
  isInBatch: boolean;
}

type Calls = typeof declared;
export type CallName = keyof Calls;

type PreparedAnswer<O, I> = Readonly<O> | Response | ((input: I) => Readonly<O> | Response | Promise<Readonly<O> | Response>);

/** A row of a list in a test: some of its fields, and rows that it expands. */
type ListedRow<Name extends ResourceName> = {
  [K in FieldName<NamedResource<Name>>]?: Row<NamedResource<Name>>[K];
} & { [K in RelationName<NamedResource<Name>>]?: unknown };

/**
 * Answers by the name of a declared call, typed by its declaration, and rows by the name of an entity. A function gets the input
 * and may answer later. A `Response` is returned unchanged.
 */
type TypedAnswers = { [K in CallName]?: PreparedAnswer<CallOutput<Calls[K]>, CallInput<Calls[K]>> } & {
  [K in Exclude<ResourceName, CallName>]?: readonly ListedRow<K>[];
};

/** Answers by `METHOD path`, without a type: only until all tests name the calls. */
type UntypedAnswers = Record<`${string} /${string}`, unknown>;

export type Answers = TypedAnswers & UntypedAnswers;

interface CallShape {
  name: CallName;
  method: string;
  pattern: RegExp;
}

/** The declared calls; of two that a path fits, the one with fewer parameters comes first. */
const shapes: readonly CallShape[] = Object.entries<string>(declared)
  .map(([name, to]) => {
    const [method = '', template = ''] = to.split(' ');
    const literal = template.replaceAll(/[.()]/g, '\\$&');
    return { name: name as CallName, method, template, pattern: new RegExp(`^${literal.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+?)')}$`, 'i') };
  })
  .sort((a, b) => a.template.split('{').length - b.template.split('{').length);

const shapeOf = (method: string, path: string) => shapes.find((shape) => shape.method === method && shape.pattern.test(path));

function inputOf(shape: CallShape | undefined, path: string, query: URLSearchParams, body: unknown): object {
  const inPath = Object.entries(shape?.pattern.exec(path)?.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
  return {
    ...Object.fromEntries(query),
    ...(Array.isArray(body) ? { items: body as unknown } : (body as object | undefined)),
    ...Object.fromEntries(inPath),
  };
}

const entityAt = (path: string) => resources.find(({ name }) => path.toLowerCase() === `/v1/${name.toLowerCase()}`)?.name;

/** The answer for a call: by its name, then by its entity, then by `METHOD path`. */
async function answerFor(call: ApiCall, answers: Readonly<Record<string, unknown>>): Promise<unknown> {
  const entity = call.method === 'GET' ? entityAt(call.path) : undefined;
  if (call.name && answers[call.name] !== undefined) return settled(answers[call.name], call.input);
  if (entity && answers[entity] !== undefined) return list(answers[entity] as readonly unknown[]);
  return settled(answers[`${call.method} ${call.path}`], call);
}

const settled = (answer: unknown, of: object): unknown => (typeof answer === 'function' ? (answer as (of: object) => unknown)(of) : answer);

/** Display names by sign-in name. No display name can be derived from the sign-in name. */
const directory: Readonly<Record<string, string>> = {
  'mara@northwind.example': 'Mara Okafor',
  'jonas@northwind.example': 'Jonas Feld',
  'tom.berg@northwind.example': 'Thomas Berg',
};

function namesOf({ body }: ApiCall) {
  const { userNames } = body as { userNames: readonly string[] };
  return { value: userNames.flatMap((userName) => (directory[userName] ? [{ userName, name: directory[userName] }] : [])) };
}

const basic: Answers = {
  'POST /v1/series': { step: 60_000, series: [] },
  alsoNow: { total: 0, value: [] },
  readManagedResources: { resources: [] },
  firstSteps: { value: [] },
  doNow: { value: [], total: 0, isCut: false },
  savedViews: { views: [], teams: [] },
  'POST /v1/people/names': namesOf,
  'GET /v1/currentUser': { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId, subscriptionId },
  'GET /v1/permissions': allPermissions.filter((permission) => !permission.endsWith(':mine')),
  'GET /api/generallookup/tenants': [{ tenantId, name: 'Northwind Energy' }],
  'GET /api/generallookup/subscriptions': [{ subscriptionId, name: 'Grid operations', tenantId }],
  'GET /v1/permissionSets/choices': [],
  'GET /api/generallookup/workunitcatgories': [],
  'GET /api/generallookup/workunitsubcatgories': [],
  'GET /api/generallookup/workunittypes': [
    { workUnitTypeId: 1, name: 'Incident' },
    { workUnitTypeId: 2, name: 'Change Request' },
    { workUnitTypeId: 3, name: 'Request' },
    { workUnitTypeId: 9, name: 'Legacy' },
  ],
  'GET /api/generalLookup/environment': { environmentColor: '#17703d', environmentName: 'Production', licenseExpiration: null },
  [`GET /v1/tenants/${tenantId}/assignmentGroups`]: ['Databases', 'Network'],
  'GET /api/generalLookup/version': { version: '1.2.3' },
  // The server answers this only to administrators of the installation.
  'GET /v1/installation/health': refused(403, 'No.'),
};

const countPath = '/v1/rules/matchingNow';
const nobodyCounted = { entities: 0, matching: 0, first: [], ignoresRepeats: false, unreported: [], truncated: false };

export function refused(status: number, message: string, details: unknown[] = []): () => Response {
  return () => Response.json({ error: { code: 'X', message, details } }, { status });
}

interface SentPart {
  method?: string;
  body?: unknown;
}

interface SentBatch {
  requests: readonly ({ id: string; url: string } & SentPart)[];
}

/** Answers a batch of reads as the server does. */
async function answerParts(
  { requests }: SentBatch,
  answerTo: (part: SentBatch['requests'][number]) => Promise<Response>,
): Promise<Response> {
  const responses = await Promise.all(
    requests.map(async (part) => {
      const answer = await answerTo(part);
      return { id: part.id, status: answer.status, body: (await answer.json()) as unknown };
    }),
  );
  return Response.json({ responses });
}

function storeUser() {
  localStorage.setItem(
    'oidc.user:http://localhost/idp:portal',
    JSON.stringify({ access_token: 'secret', expires_at: Date.now() / 1_000 + 600 }),
  );
}

/** Renders the portal at an address; with `signedIn: false`, without a session. */
export async function renderApp(address: string, answers: Answers = {}, { signedIn = true } = {}) {
  cleanup();
  queryClient.clear();
  if (signedIn) storeUser();
  const calls: ApiCall[] = [];
  const allAnswers: Readonly<Record<string, unknown>> = { ...basic, ...answers };
  const answerTo = async (address: string, { method = 'GET', body }: SentPart, isInBatch: boolean): Promise<Response> => {
    const url = new URL(address, 'http://localhost');
    const shape = shapeOf(method, url.pathname);
    const call: ApiCall = {
      method,
      path: url.pathname,
      query: url.searchParams,
      body,
      ...(shape ? { name: shape.name } : {}),
      input: inputOf(shape, url.pathname, url.searchParams, body),
      isInBatch,
    };
    const isPrepared = [call.name ?? '', `${method} ${url.pathname}`].some((key) => allAnswers[key] !== undefined);
    // Reads that forms make by themselves get an empty answer and are not recorded, unless the test provides an answer.
    if (url.pathname.startsWith('/v1/impact/') && !isPrepared) return Response.json({ groups: [] });
    if (url.pathname === countPath && !isPrepared) return Response.json(nobodyCounted);
    calls.push(call);
    if (url.pathname === '/v1/$batch' && !isPrepared)
      return answerParts(body as SentBatch, ({ url, ...part }) => answerTo(url, part, true));
    if (url.pathname === '/v1/changes') return new Promise<Response>(() => undefined);
    const answer = await answerFor(call, allAnswers);
    if (answer instanceof Response) return answer;
    return answer === undefined ? Response.json({ '@odata.count': 0, value: [] }) : Response.json(answer);
  };
  globalThis.fetch = (input, init) =>
    answerTo(
      String(input),
      {
        ...(init?.method ? { method: init.method } : {}),
        ...(typeof init?.body === 'string' ? { body: JSON.parse(init.body) as unknown } : {}),
      },
      false,
    );
  await Promise.all([startSession(), loadFloating()]);
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  const view = render(
    <Providers>
      <RouterProvider router={router} />
    </Providers>,
  );
  /** The inputs of the calls with this name, in order. */
  const inputsOf = <K extends CallName>(name: K) =>
    calls.filter((call) => call.name === name).map(({ input }) => input as CallInput<Calls[K]>);
  return { ...view, router, calls, inputsOf, search: () => new URLSearchParams(router.state.location.search) };
}

export function list(rows: readonly unknown[]) {
  return { '@odata.count': rows.length, value: rows };
}
