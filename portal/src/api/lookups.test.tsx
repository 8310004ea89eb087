import '../testing/browser.ts';
import { QueryClient } from '@tanstack/react-query';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderApp, tenantId } from '../testing/render-app.tsx';
import { whenForbidden } from './client.ts';
import { permissionsQuery, prefetchShell, searchPeople, seesOwnOnly, tenantsQuery } from './lookups.ts';

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

it('[API-023] asks for the subscriptions again when something that shows them appears later', async () => {
  // The clock stands still, so that nothing becomes stale while the page loads.
  vi.useFakeTimers({ toFake: ['Date'] });
  const { calls } = await renderApp(`/${tenantId}/locations`);
  const countOfCalls = () => calls.filter((call) => call.path === '/api/generallookup/subscriptions').length;
  const picker = await screen.findByRole('button', { name: /Switch tenant and subscription/ });
  await waitFor(() => expect(countOfCalls()).toBe(1));
  vi.setSystemTime(Date.now() + 60_000);
  fireEvent.click(picker);
  await screen.findByRole('radiogroup');
  await waitFor(() => expect(countOfCalls()).toBe(2));
});

it('[API-028] the avatar is the image of its call', async () => {
  URL.createObjectURL = () => 'blob:photo';
  const photo = () => new Response(new Blob(['x'], { type: 'image/png' }), { headers: { 'content-type': 'image/png' } });
  const user = { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId, subscriptionId: null, photo: 'ab12' };
  const { calls } = await renderApp(`/${tenantId}/locations`, { 'GET /v1/currentUser': user, 'GET /api/auth/currentUserPhoto': photo });
  const header = within(await screen.findByRole('banner'));
  await waitFor(() => expect(header.getByTitle('Profile').querySelector('img')?.getAttribute('src')).toBe('blob:photo'));
  expect(calls.some((call) => call.path === '/api/auth/currentUserPhoto')).toBe(true);
});

it('reads ahead what each page shows, and reads tenants again after five minutes', async () => {
  vi.useFakeTimers();
  const paths: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path.toLowerCase());
    return Promise.resolve(Response.json([]));
  });
  const client = new QueryClient();
  await prefetchShell(client);
  expect(paths.filter((path) => path.includes('subscriptions'))).toHaveLength(1);
  const ofTenants = () => paths.filter((path) => path.includes('generallookup/tenants')).length;
  expect(ofTenants()).toBe(1);
  vi.setSystemTime(Date.now() + 299_000);
  await client.fetchQuery(tenantsQuery);
  expect(ofTenants()).toBe(1);
  vi.setSystemTime(Date.now() + 2_000);
  await client.fetchQuery(tenantsQuery);
  expect(ofTenants()).toBe(2);
  vi.unstubAllGlobals();
});

it('tells no refusal of what it looks up by itself', async () => {
  const refusal = vi.fn<() => void>();
  whenForbidden(refusal);
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({}, { status: 403 })));
  await expect(permissionsQuery.queryFn()).rejects.toMatchObject({ status: 403 });
  await expect(searchPeople('mara')).rejects.toMatchObject({ status: 403 });
  expect(refusal).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});

it('takes the resolution center for the portal of those who see their own work units alone', () => {
  const [mine, view] = ['CloudFit.CFS.WorkUnits:view:mine', 'CloudFit.CFS.WorkUnits:view'];
  expect([[mine], [mine, view], [view], []].map(seesOwnOnly)).toEqual([true, false, false, false]);
});
