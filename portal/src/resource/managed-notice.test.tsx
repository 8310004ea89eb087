/** What a panel says of a row that was applied from a folder of files. */
import '../testing/browser.ts';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../testing/render-app.tsx';

const lund = { locationId: '01a1fcdb-0000-7000-8000-000000000001', name: 'Lund plant', city: 'Lund', state: 'Skåne', tenantId };
const open = (isProtected: boolean, note: string | null, resources = ['locations']) =>
  renderApp(`/${tenantId}/locations?id=${lund.locationId}`, {
    'GET /v1/locations': list([lund]),
    [`GET /v1/locations(${lund.locationId})`]: lund,
    readManagedResources: { resources },
    readManaged: ({ resource, key }) => ({
      managed:
        resource === 'locations' && key === lund.locationId
          ? { source: 'plant', file: isProtected ? 'lund.yaml' : null, note, isProtected, applied: new Date().toISOString() }
          : null,
    }),
  });

beforeEach(() => localStorage.clear());

it('says from where, and that a change lasts until the next time', async () => {
  await open(false, 'commit 4f1c2ab');
  const notice = await screen.findByRole('note');
  expect(notice.textContent).toMatch(/^Managed in GitApplied from plant \(commit 4f1c2ab\), .*What is changed here lasts until/);
});

it('says that a protected row changes in its file', async () => {
  await open(true, null);
  expect((await screen.findByRole('note')).textContent).toMatch(
    /Applied from plant\/lund\.yaml, .*It is protected: edit its file, and apply the folder\.$/,
  );
});

it('asks for no row of a resource that no folder has, and once which resources they have', async () => {
  const { calls } = await open(false, null, ['rules']);
  await screen.findByDisplayValue('Lund plant');
  const requests = () => calls.filter(({ path }) => path.includes('/configuration/managed')).map(({ path }) => path);
  await waitFor(() => expect(requests()).toEqual(['/v1/configuration/managedResources']));
  expect(screen.queryByRole('note')).toBeNull();
});
