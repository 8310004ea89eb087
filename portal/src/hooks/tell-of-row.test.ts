import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { currentUserKey, tenantsQuery } from '../api/lookups.ts';
import { queryClient } from '../api/query-client.ts';
import { command } from '../calls/command.ts';
import { toast } from '../components/toasts.tsx';
import { editsOf, type MassEditUnit } from '../features/mass-edit/mass-edit.rules.ts';
import { tellOfRow } from './tell-of-row.ts';

const names = ['Alder Water', 'Borealis', 'Calder Steel', 'Dune', 'Elm'];
const shown = vi.spyOn(toast, 'success');
const last = (): unknown => shown.mock.lastCall?.[0];

beforeEach(() => {
  queryClient.setQueryData(currentUserKey, { personId: 'p', name: 'Ada', userName: 'ada', tenantId: 'Alder Water', subscriptionId: null });
  queryClient.setQueryData(
    tenantsQuery.queryKey,
    names.map((name) => ({ tenantId: name, name })),
  );
});
afterEach(() => queryClient.clear());

it.each([
  [{ tenantId: 'Alder Water' }, 'Saved.'],
  [{ tenantId: 'Borealis' }, 'Borealis: Saved.'],
  [{ tenantId: null }, 'Saved.'],
  [{ row: { tenantId: 'Borealis' } }, 'Borealis: Saved.'],
  [[{ tenantId: 'Alder Water' }, { tenantId: 'Borealis' }, { tenantId: 'Calder Steel' }], 'Borealis, Calder Steel: Saved.'],
  [names.map((tenantId) => ({ tenantId })), 'Saved.'],
  [undefined, 'Saved.'],
])('names the tenants of %o that are not the chosen one', (rows, message) => {
  tellOfRow(rows, 'Saved.');
  expect(last()).toBe(message);
});

it('does not repeat a name, and takes the first tenant for the chosen one of who has chosen none', () => {
  tellOfRow({ tenantId: 'Borealis' }, 'Borealis is disabled.');
  expect(last()).toBe('Borealis is disabled.');
  queryClient.setQueryData(currentUserKey, { personId: 'p', name: 'Ada', userName: 'ada', tenantId: null, subscriptionId: null });
  tellOfRow({ tenantId: 'Alder Water' }, 'Saved.');
  expect(last()).toBe('Saved.');
});

it('is what commands do with what they are about, their subject and their answer', async () => {
  const send = (_subject: object) => Promise.resolve({});
  await command(send, { done: () => 'Done.' })({ tenantId: 'Borealis' });
  expect(last()).toBe('Borealis: Done.');
  await command(send, { done: () => 'Done.', about: { tenantId: 'Calder Steel' } })({});
  expect(last()).toBe('Calder Steel: Done.');
  await command(() => Promise.resolve({ tenantId: 'Dune' }), { done: () => 'Done.' })({});
  expect(last()).toBe('Dune: Done.');
});

it('is what mass edits do with their units', () => {
  const unit = { workUnitId: 1, publicWorkUnitId: 1001, tenantId: 'Borealis', severityId: 'Sev3' } as unknown as MassEditUnit;
  tellOfRow(editsOf([unit], { severityId: 'Sev1' }), '1 saved.');
  expect(last()).toBe('Borealis: 1 saved.');
});
