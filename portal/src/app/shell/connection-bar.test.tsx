/** The bar that says across the portal that the server does not answer. */
import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { callJson } from '../../api/client.ts';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

const address = `/${tenantId}/locations`;
const location = { locationId: 'l1', name: 'Hall 4', tenantId, tenant: { tenantId, name: 'Northwind Energy' } };
/** Makes all calls fail as they do without a server, until the returned function is called. */
function stopServer(status?: number): () => void {
  const before = globalThis.fetch;
  globalThis.fetch = () =>
    status === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(new Response('', { status }));
  return () => {
    globalThis.fetch = before;
  };
}
const bar = () => screen.findByText('The server does not answer.').then((text) => within(text.parentElement as HTMLElement));
const failCall = () =>
  act(() =>
    callJson('/v1/locations').then(
      () => undefined,
      () => undefined,
    ),
  );

it.each([
  ['is stopped', undefined],
  ['is away behind its proxy', 502],
])('says from when the page is while the server %s, tries again and refreshes', async (_how, status) => {
  const { calls } = await renderApp(address, { 'GET /v1/locations': list([location]) });
  await screen.findByText('Hall 4');
  const start = stopServer(status);
  await failCall();
  const shown = await bar();
  shown.getByText(/^What you see is from \d\d:\d\d:\d\d\. Trying again…$/);
  expect(screen.getByText('Hall 4')).toBeTruthy();
  start();
  const reads = calls.filter(({ path }) => path === '/v1/locations').length;
  fireEvent.click(shown.getByRole('button', { name: 'Try now' }));
  await waitFor(() => expect(screen.queryByText('The server does not answer.')).toBeNull());
  await waitFor(() => expect(calls.filter(({ path }) => path === '/v1/locations').length).toBeGreaterThan(reads));
});

it('says nothing of a call that the server refuses, or of one that fails while the server answers', async () => {
  await renderApp(address, { 'GET /v1/locations': list([location]) });
  await screen.findByText('Hall 4');
  const start = stopServer(500);
  await failCall();
  start();
  const before = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    String(input).startsWith('/v1/locations') ? Promise.reject(new TypeError('Failed to fetch')) : before(input, init);
  await failCall();
  globalThis.fetch = before;
  expect(screen.queryByText('The server does not answer.')).toBeNull();
});
