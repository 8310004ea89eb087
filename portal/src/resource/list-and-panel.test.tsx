import '../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../testing/render-app.tsx';

const lund = { locationId: '01a1fcdb-0000-7000-8000-000000000001', name: 'Lund plant', city: 'Lund', state: 'Skåne', tenantId: null };
const malmo = { ...lund, locationId: '01a1fcdb-0000-7000-8000-000000000002', name: 'Malmö plant', city: 'Malmö' };
const locationAnswers: Answers = {
  'GET /v1/locations': list([lund]),
  [`GET /v1/locations(${lund.locationId})`]: lund,
  [`POST /v1/locations/${lund.locationId}`]: lund,
};
const openLocations = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/locations${query}`, { ...locationAnswers, ...more });
const requests = (calls: readonly ApiCall[], path: string) => calls.filter((call) => call.method === 'GET' && call.path === path);
const never = () => new Promise<never>(() => undefined);
const without = (...denied: string[]): Answers => ({
  'GET /v1/permissions': allPermissions.filter((permission) => !permission.endsWith(':mine') && !denied.includes(permission)),
});

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

describe('a list without rows', () => {
  const empty = list([]);
  const unfiltered = ({ query }: ApiCall) => (query.get('$top') === '0' ? { '@odata.count': 42, value: [] } : empty);

  it('says that there are none yet while nothing narrows it', async () => {
    await openLocations('', { 'GET /v1/locations': empty });
    await screen.findByText('No locations yet');
    expect(screen.queryByRole('button', { name: 'Clear search and filters' })).toBeNull();
  });

  it('offers to clear a search, and no rows without filters, because there is no filter', async () => {
    const { calls, search } = await openLocations('?search=Ystad', { 'GET /v1/locations': unfiltered });
    const clear = await screen.findByRole('button', { name: 'Clear search and filters' });
    expect(screen.getByText('No locations match')).toBeTruthy();
    expect(requests(calls, '/v1/locations').filter(({ query }) => query.get('$top') === '0')).toEqual([]);
    fireEvent.click(clear);
    await waitFor(() => expect(search().get('search')).toBeNull());
    await screen.findByText('No locations yet');
  });

  it('offers the rows without its filters when there are some', async () => {
    const { search } = await openLocations('?f.city=Ystad', { 'GET /v1/locations': unfiltered });
    fireEvent.click(await screen.findByRole('button', { name: 'Show 42 without filters' }));
    await waitFor(() => expect(search().get('f.city')).toBeNull());
  });

  it('offers none when there are none without its filters either', async () => {
    const { calls } = await openLocations('?f.city=Ystad', { 'GET /v1/locations': empty });
    await screen.findByText('No locations match');
    await waitFor(() => expect(requests(calls, '/v1/locations').some(({ query }) => query.get('$top') === '0')).toBe(true));
    expect(screen.queryByRole('button', { name: /without filters/ })).toBeNull();
  });

  it('is narrowed by one of its prepared filters too', async () => {
    await renderApp(`/${tenantId}/workunitsettings?q=enabled`, { 'GET /v1/workUnitCategories': empty });
    await screen.findByText('No work unit categories match');
  });
});

describe('a list', () => {
  it('offers Create only with the permission for it', async () => {
    await openLocations('', without('CloudFit.CFS.Locations:create'));
    await screen.findByText('Lund plant');
    expect(screen.queryByRole('button', { name: 'Create' })).toBeNull();
  });

  it('hides its rows when the permission for them is gone, and offers no second try', async () => {
    await openLocations('', { 'GET /v1/locations': refused(403, 'No.') });
    await screen.findByText(en.auth.deniedTitle);
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('waits for who the person is only where its prepared filter needs that', async () => {
    const { calls } = await openLocations('', { 'GET /v1/currentUser': never });
    await screen.findByText('Lund plant');
    expect(requests(calls, '/v1/locations')).not.toEqual([]);
    const filtered = await renderApp(`/${tenantId}/workunitsettings?q=enabled`, { 'GET /v1/currentUser': never });
    await screen.findByRole('button', { name: 'Enabled categories' });
    await waitFor(() => expect(requests(filtered.calls, '/v1/currentUser')).not.toEqual([]));
    expect(requests(filtered.calls, '/v1/workUnitCategories')).toEqual([]);
  });

  it('has the hidden columns under the title on a phone, without ids of its own', async () => {
    await openLocations();
    const title = await screen.findByRole('link', { name: 'Lund plant' });
    expect(title.parentElement?.querySelector('.phone-line')?.textContent).toBe('Lund · Skåne · Global');
  });

  it('has one line and no hidden columns on a wide screen', async () => {
    const listen = { addEventListener: () => undefined, removeEventListener: () => undefined };
    vi.spyOn(window, 'matchMedia').mockImplementation(
      (query) => ({ matches: !query.includes('max-width'), ...listen }) as unknown as MediaQueryList,
    );
    await openLocations();
    const title = await screen.findByRole('link', { name: 'Lund plant' });
    expect(title.parentElement?.querySelector('.phone-line')).toBeNull();
    expect(screen.getByRole('columnheader', { name: 'Actions' }).querySelector('.visually-hidden')).toBeNull();
  });

  it('opens a row beside the list by a plain click, and leaves other clicks to the browser', async () => {
    const { search } = await openLocations();
    const title = await screen.findByRole('link', { name: 'Lund plant' });
    expect(title.getAttribute('href')).toBe(`?id=${lund.locationId}`);
    for (const modifiers of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }, { button: 1 }])
      expect(fireEvent.click(title, modifiers)).toBe(true);
    expect(search().get('id')).toBeNull();
    expect(fireEvent.click(title)).toBe(false);
    await waitFor(() => expect(search().get('id')).toBe(lund.locationId));
  });
});

describe('the selection of a list', () => {
  const unit = { workUnitId: 7, publicWorkUnitId: 1007, title: 'Pump 7', severityId: 'Sev1', stateId: 'Acknowledged', tenantId };
  const units = (count: number, all: unknown) => ({
    'GET /v1/workUnits': ({ query }: ApiCall) =>
      query.get('$select') === 'workUnitId' ? all : { '@odata.count': count, value: [{ ...unit, created: '2026-11-21T10:00:00Z' }] },
  });

  it('offers all rows of the list, once while they are read, and nothing before a row is chosen', async () => {
    let answer: (rows: object) => void = () => undefined;
    const { calls } = await renderApp('/workunitsv2?f=', units(12, new Promise((resolve) => (answer = resolve))));
    const box = await screen.findByRole('checkbox', { name: 'Select Pump 7' });
    expect(screen.queryByRole('button', { name: 'Clear selection' })).toBeNull();
    fireEvent.click(box);
    const all = await screen.findByRole<HTMLButtonElement>('button', { name: 'Select all 12' });
    fireEvent.click(all);
    await waitFor(() => expect(all.disabled).toBe(true));
    fireEvent.click(all);
    answer(list([7, 8, 9].map((workUnitId) => ({ workUnitId }))));
    await screen.findByText('3 selected');
    expect(calls.filter(({ query }) => query.get('$select') === 'workUnitId')).toHaveLength(1);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Select all 12' }).disabled).toBe(false);
  });

  it('stays as it is when the rows cannot be read, and offers no more once all are chosen', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await renderApp('/workunitsv2?f=', { ...units(2, refused(500, 'No.')()) });
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Pump 7' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 2' }));
    await screen.findByText('The rows could not be selected. Please try again.');
    expect(screen.getByText('1 selected')).toBeTruthy();
    await renderApp('/workunitsv2?f=', units(1, list([])));
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Pump 7' }));
    await screen.findByText('1 selected');
    expect(screen.queryByRole('button', { name: /Select all/ })).toBeNull();
  });
});

describe('the panel of a row', () => {
  const editing = async () => within(await screen.findByRole('dialog', { name: 'Edit Location: Lund plant' }));

  it('closes after it is saved, and asks before it is closed with unsaved changes', async () => {
    const { search } = await openLocations(`?id=${lund.locationId}`);
    const panel = await editing();
    fireEvent.change(panel.getByLabelText(/^City/), { target: { value: 'Malmö' } });
    fireEvent.click(panel.getByRole('button', { name: 'Cancel' }));
    const question = within(await screen.findByRole('dialog', { name: 'Unsaved changes' }));
    expect(search().get('id')).toBe(lund.locationId);
    fireEvent.click(question.getByRole('button', { name: 'No' }));
    fireEvent.click(panel.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(search().get('id')).toBeNull());
    expect(screen.queryByRole('dialog', { name: 'Unsaved changes' })).toBeNull();
  });

  it('puts the focus on a row that was created, and on none that was changed', async () => {
    const rows = [lund];
    await openLocations('?id=new', {
      'GET /v1/locations': () => list(rows),
      'PUT /v1/locations': () => {
        rows.push(malmo);
        return malmo;
      },
    });
    const panel = within(await screen.findByRole('dialog', { name: 'Create Location' }));
    fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Malmö plant' } });
    fireEvent.click(panel.getByRole('button', { name: 'Create' }));
    await waitFor(() => expect(document.activeElement?.getAttribute('data-row')).toBe(malmo.locationId));
  });

  it('only shows the row without the permission to edit it', async () => {
    await openLocations(`?id=${lund.locationId}`, without('CloudFit.CFS.Locations:edit'));
    const panel = within(await screen.findByRole('dialog', { name: 'Location: Lund plant' }));
    expect(panel.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  it('asks before a row is deleted, and deletes none after No', async () => {
    const { calls } = await openLocations('', { [`DELETE /v1/locations/${lund.locationId}`]: () => new Response(null, { status: 204 }) });
    const ask = async () => {
      fireEvent.click(await screen.findByRole('button', { name: 'Actions for Lund plant' }));
      fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
      return within(await screen.findByRole('dialog', { name: 'Delete Location' }));
    };
    fireEvent.click((await ask()).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Delete Location' })).toBeNull());
    const deletions = () => calls.filter(({ method }) => method === 'DELETE');
    expect(deletions()).toEqual([]);
    fireEvent.click((await ask()).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(deletions()).toHaveLength(1));
  });
});

describe('the panel of the rows of a parent', () => {
  const id = '01a1fcdb-e331-70c1-ba47-000000000011';
  const category = { workUnitCategoryId: id, name: 'Network', workUnitTypeId: 3, isEnabled: true, tenantId, subcategories: [] };
  const openChildren = (more: Answers) =>
    renderApp(`/${tenantId}/workunitsettings?subcategoriesOf=${id}`, {
      'GET /v1/workUnitCategories': list([category]),
      [`GET /v1/workUnitCategories(${id})`]: category,
      ...more,
    });
  const panelOf = async (name: string) => within(await screen.findByRole('dialog', { name }));

  it('says that there are none, and offers to create one', async () => {
    await openChildren({});
    const panel = await panelOf('Subcategories: Network');
    await panel.findByText('No subcategories yet');
    expect(panel.queryByRole('table')).toBeNull();
    expect(panel.getByRole('button', { name: 'Create Subcategory' })).toBeTruthy();
  });

  it('reads them again after a failure, and offers to create none meanwhile', async () => {
    let answer: unknown = refused(400, 'Not now.')();
    await openChildren({ 'GET /v1/workUnitSubcategories': () => answer });
    const panel = await panelOf('Subcategories: Network');
    await panel.findByText('The subcategories could not be loaded.');
    expect(panel.getByText('Not now.')).toBeTruthy();
    expect(panel.queryByRole('button', { name: 'Create Subcategory' })).toBeNull();
    answer = list([{ workUnitSubcategoryId: 's1', workUnitCategoryId: id, name: 'Slow', isEnabled: true }]);
    fireEvent.click(panel.getByRole('button', { name: 'Try again' }));
    await panel.findByRole('button', { name: 'Slow' });
    // The headings and one row: no placeholders beside what is read.
    expect(panel.getAllByRole('row')).toHaveLength(2);
  });

  it('says that the parent is gone, which a second try cannot change', async () => {
    await openChildren({ [`GET /v1/workUnitCategories(${id})`]: refused(404, 'Not found.') });
    const panel = await panelOf('Subcategories');
    await panel.findByText('The category was not found. It may have been deleted, or you do not have access to it.');
    expect(panel.queryByText('Not found.')).toBeNull();
    expect(panel.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('offers no change without the permission for it', async () => {
    const row = { workUnitSubcategoryId: 's1', workUnitCategoryId: id, name: 'Slow', isEnabled: true };
    const { resources } = await import('@cloudfit/contract/resources/registry.ts');
    const area = resources.find(({ name }) => name === 'workUnitSubcategories')?.area ?? '';
    await openChildren({ ...without(`CloudFit.CFS.${area}:edit`), 'GET /v1/workUnitSubcategories': list([row]) });
    const panel = await panelOf('Subcategories: Network');
    await panel.findByRole('button', { name: 'Slow' });
    expect(panel.queryByRole('button', { name: 'Edit Slow' })).toBeNull();
  });
});
