/** Renders the whole portal at an address, signed in, with canned answers instead of a server. */
import { cleanup, render } from '@testing-library/react';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
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
}

/** An answer by `METHOD path`; a function may read the call and answer later. A `Response` is returned unchanged. */
export type Answers = Record<string, unknown>;

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
  'POST /v1/people/names': namesOf,
  'GET /v1/currentUser': { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId, subscriptionId },
  'GET /v1/permissions': allPermissions.filter((one) => !one.endsWith(':mine')),
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
  const allAnswers = { ...basic, ...answers };
  globalThis.fetch = async (input, init) => {
    const url = new URL(String(input), 'http://localhost');
    const method = init?.method ?? 'GET';
    const call: ApiCall = {
      method,
      path: url.pathname,
      query: url.searchParams,
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    };
    // Reads that forms make by themselves get an empty answer and are not recorded, unless the test provides an answer.
    if (url.pathname.startsWith('/v1/impact/') && !allAnswers[`${method} ${url.pathname}`]) return Response.json({ groups: [] });
    if (url.pathname === countPath && !allAnswers[`${method} ${countPath}`]) return Response.json(nobodyCounted);
    calls.push(call);
    if (url.pathname === '/v1/changes') return new Promise<Response>(() => undefined);
    const prepared = allAnswers[`${method} ${url.pathname}`];
    const answer: unknown = typeof prepared === 'function' ? await (prepared as (call: ApiCall) => unknown)(call) : prepared;
    if (answer instanceof Response) return answer;
    return answer === undefined ? Response.json({ '@odata.count': 0, value: [] }) : Response.json(answer);
  };
  await Promise.all([startSession(), loadFloating()]);
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  const view = render(
    <Providers>
      <RouterProvider router={router} />
    </Providers>,
  );
  return { ...view, router, calls, search: () => new URLSearchParams(router.state.location.search) };
}

export function list(rows: readonly unknown[]) {
  return { '@odata.count': rows.length, value: rows };
}
