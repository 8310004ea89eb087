/**
 * An administrator sees the portal as another person: how this impersonation begins, that every screen shows it, that every request
 * names it, and that nothing can be changed.
 */
import '../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { callJson } from '../api/client.ts';
import { currentImpersonation } from '../api/see-as.ts';
import { list, refused, renderApp, tenantId } from '../testing/render-app.tsx';

const tom = {
  personId: 'p7',
  name: 'Thomas Berg',
  userName: 'tom.berg@northwind.example',
  email: null,
  emailVerified: false,
  enabled: true,
  secondFactor: 'None',
  lastSignIn: null,
  created: '2026-11-01T08:00:00Z',
  modified: '2026-11-01T08:00:00Z',
  grants: [],
};
const store = (inMs: number) =>
  sessionStorage.setItem(
    'seeAs',
    JSON.stringify({ seeAsId: 's1', name: 'Thomas Berg', expires: new Date(Date.now() + inMs).toISOString() }),
  );
const headersOf = async () => {
  const sent: unknown[] = [];
  globalThis.fetch = async (_input, init) => {
    sent.push(new Headers(init?.headers).get('x-see-as'));
    return Response.json({});
  };
  await callJson('/v1/locations');
  return sent;
};
beforeEach(() => localStorage.clear());

it('is said on every screen, and named in every request until it expires', async () => {
  store(60_000);
  await renderApp(`/${tenantId}/locations`);
  const banner = within(
    (await screen.findByText(/^You see the portal as Thomas Berg\. Nothing can be changed\./)).closest('div') as HTMLElement,
  );
  banner.getByRole('button', { name: 'End' });
  expect(await headersOf()).toEqual(['s1']);
  store(-1);
  expect(currentImpersonation()).toBeUndefined();
  expect(await headersOf()).toEqual([null]);
});

it('offers nothing that writes while it lasts', async () => {
  const createButtons = () => document.querySelectorAll('[data-create]').length;
  await renderApp(`/${tenantId}/locations`);
  await waitFor(() => expect(createButtons()).toBe(1));
  store(60_000);
  for (const path of ['locations', 'rules', 'dashboards', 'statuspages']) {
    await renderApp(`/${tenantId}/${path}`);
    // All screens that the person may open stay in the menu, also those that need the right to change something.
    await screen.findByRole('link', { name: 'Outbox' });
    await waitFor(() => expect(document.querySelector('[data-search]')).not.toBeNull());
    expect([path, createButtons()]).toEqual([path, 0]);
  }
  const location = { locationId: 'l1', name: 'Oslo', tenantId, created: '2026-11-01T08:00:00Z', modified: '2026-11-01T08:00:00Z' };
  await renderApp(`/${tenantId}/locations?id=l1`, { 'GET /v1/locations': list([location]), 'GET /v1/locations(l1)': location });
  const panel = within(await screen.findByRole('dialog', { name: /Oslo/ }));
  await panel.findByText('You may look at this, but not change it.');
  expect(panel.queryByRole('button', { name: 'Save' })).toBeNull();
  sessionStorage.clear();
});

it('begins in the access of the person too', async () => {
  const { calls } = await renderApp(`/${tenantId}/people?id=p7&tab=access`, {
    'GET /v1/people': list([tom]),
    'GET /v1/people(p7)': tom,
    'GET /v1/people/p7/access': { grants: [], groups: [] },
    'POST /v1/people/p7/seeAs': refused(409, 'Thomas Berg is disabled and sees nothing.'),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'See the portal as this person' }));
  await screen.findByText('Thomas Berg is disabled and sees nothing.');
  expect(calls.some(({ path }) => path === '/v1/people/p7/seeAs')).toBe(true);
});

it('begins at the person; a refusal says why', async () => {
  const { calls } = await renderApp(`/${tenantId}/people`, {
    'GET /v1/people': list([tom]),
    'POST /v1/people/p7/seeAs': refused(409, 'Thomas Berg is disabled and sees nothing.'),
  });
  const row = within((await screen.findByText('Thomas Berg')).closest('tr') as HTMLElement);
  fireEvent.click(row.getByRole('button', { name: /^Actions for/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'See the portal as this person' }));
  await screen.findByText('Thomas Berg is disabled and sees nothing.');
  await waitFor(() => expect(calls.some(({ path }) => path === '/v1/people/p7/seeAs')).toBe(true));
  expect(currentImpersonation()).toBeUndefined();
});
