import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-000000000011';
const category = {
  workUnitCategoryId: id,
  name: 'Network',
  workUnitTypeId: 3,
  isEnabled: true,
  isVisibleInResolutionCenter: false,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 3, name: 'Request' },
  subcategories: [{ workUnitSubcategoryId: 's1' }],
};
const subcategory = {
  workUnitSubcategoryId: '01a1fcdb-e331-70c1-ba47-000000000021',
  workUnitCategoryId: id,
  name: 'Slow',
  isEnabled: true,
};
const answers: Answers = {
  'GET /v1/workUnitCategories': list([category]),
  [`GET /v1/workUnitCategories(${id})`]: category,
  'GET /v1/workUnitSubcategories': list([subcategory]),
  [`GET /v1/workUnitSubcategories(${subcategory.workUnitSubcategoryId})`]: subcategory,
  'PUT /v1/workUnitCategories': category,
  [`POST /v1/workUnitCategories/${id}`]: category,
  'PUT /v1/workUnitSubcategories': subcategory,
  [`POST /v1/workUnitSubcategories/${subcategory.workUnitSubcategoryId}`]: subcategory,
};

beforeEach(() => localStorage.clear());

const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/workunitsettings${query}`, { ...answers, ...more });
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const sent = (calls: readonly ApiCall[], method: string) => calls.filter((call) => call.method === method && call.path !== '/v1/changes');
const filters = (calls: readonly ApiCall[]) =>
  calls.filter((call) => call.path === '/v1/workUnitCategories').map((call) => call.query.get('$filter') ?? '');

it('lists the categories of the tenant', async () => {
  const { calls } = await open();
  const row = within((await screen.findByRole('link', { name: 'Network' })).closest('tr') as HTMLElement);
  await proves('[CAT-002] lists categories', () => {
    row.getByText('User Request');
    row.getByText('Northwind Energy');
    expect(filters(calls)).toEqual([`tenantId eq ${tenantId}`]);
  });
  await proves('[CAT-001] stands at its address', () => expect(document.title).toBe('Work Unit Settings - CloudFit Software'));
  await proves('[PERM-020] stands in the menu', () =>
    expect(screen.getByRole('link', { name: 'Work Unit Settings' }).getAttribute('href')).toContain('workunitsettings'),
  );
});

it('[CAT-003] has a second list of the enabled ones, with an address', async () => {
  const { calls, search } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Enabled categories' }));
  await waitFor(() => expect(filters(calls).at(-1)).toBe(`tenantId eq ${tenantId} and isEnabled eq true`));
  expect(search().get('q')).toBe('enabled');
  fireEvent.click(screen.getByRole('button', { name: 'All categories' }));
  await waitFor(() => expect(search().get('q')).toBeNull());
});

it('creates a category, with a name and a type', async () => {
  const { calls } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const form = await dialog('Create Work Unit Category');
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await proves('[CAT-009] needs a name', () => form.findByText('Name is required.'));
  await proves('[CAT-011] asks for a type', () => form.getByText('Please choose a work unit type.'));
  await proves('[CAT-010] needs a type', () => expect(sent(calls, 'PUT')).toEqual([]));
  const type = form.getByLabelText<HTMLSelectElement>(/^Work Unit Type/);
  expect([...type.options].map((option) => option.text)).toEqual(['', 'Incident', 'Change Request', 'User Request']);
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Network' } });
  fireEvent.change(type, { target: { value: '3' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent(calls, 'PUT')).toHaveLength(1));
  await proves('[CAT-005] creates what was typed', () =>
    expect(sent(calls, 'PUT')[0]?.body).toEqual({
      name: 'Network',
      workUnitTypeId: 3,
      isEnabled: true,
      isVisibleInResolutionCenter: false,
      tenantId,
    }),
  );
});

it('[CAT-005] edits a category', async () => {
  const { calls } = await open();
  fireEvent.click(await screen.findByRole('link', { name: 'Network' }));
  const form = await dialog('Edit Work Unit Category: Network');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Networks' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]).toMatchObject({ path: `/v1/workUnitCategories/${id}`, body: { name: 'Networks' } });
});

it('[ERR-039] a category that cannot be saved says so and keeps what was typed', async () => {
  await open(`?id=${id}`, { [`POST /v1/workUnitCategories/${id}`]: refused(500, 'x') });
  const form = await dialog('Edit Work Unit Category: Network');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Networks' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('A problem occurred saving the work unit category. Please try again.');
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Networks');
});

it('[ERR-039] switches a category on and off in the list, and back when it is refused', async () => {
  const { calls } = await open('', { [`POST /v1/workUnitCategories/${id}`]: refused(500, 'x') });
  const visible = await screen.findByRole<HTMLInputElement>('switch', { name: 'Resolution Center: Network' });
  fireEvent.click(visible);
  await screen.findByText('A problem occurred saving the work unit category. Please try again.');
  expect(sent(calls, 'POST')[0]?.body).toEqual({ isVisibleInResolutionCenter: true });
  await waitFor(() => expect(visible.checked).toBe(false));
});

it('[CAT-004] opens the subcategories of a category', async () => {
  const { calls, search } = await open();
  fireEvent.click(await screen.findByRole('button', { name: '1 Subcategories of Network' }));
  const panel = await dialog('Subcategories: Network');
  await panel.findByRole('button', { name: 'Slow' });
  expect(search().get('subcategoriesOf')).toBe(id);
  expect(calls.find((call) => call.path === '/v1/workUnitSubcategories')?.query.get('$filter')).toBe(`workUnitCategoryId eq ${id}`);
  fireEvent.click(panel.getByRole('switch', { name: 'Enabled: Slow' }));
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]).toMatchObject({
    path: `/v1/workUnitSubcategories/${subcategory.workUnitSubcategoryId}`,
    body: { isEnabled: false },
  });
});

it('creates a subcategory of the category, with a name', async () => {
  const { calls } = await open(`?subcategoriesOf=${id}`);
  fireEvent.click((await dialog('Subcategories: Network')).getByRole('button', { name: 'Create Subcategory' }));
  const form = await proves('[CAT-006] has a panel', () => dialog('Create Work Unit Subcategory'));
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await proves('[CAT-012] asks for a name', () => form.findByText('Name is required.'));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Down' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await proves('[CAT-006] creates it', async () => {
    await waitFor(() => expect(sent(calls, 'PUT')).toHaveLength(1));
    expect(sent(calls, 'PUT')[0]).toMatchObject({ path: '/v1/workUnitSubcategories' });
    expect(sent(calls, 'PUT')[0]?.body).toEqual({ name: 'Down', isEnabled: true, workUnitCategoryId: id });
  });
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Create Work Unit Subcategory' })).toBeNull());
  await dialog('Subcategories: Network');
});

it('[CAT-006] [ERR-040] a subcategory is edited; one that cannot be saved says so', async () => {
  const path = `/v1/workUnitSubcategories/${subcategory.workUnitSubcategoryId}`;
  await open(`?subcategoriesOf=${id}`, { [`POST ${path}`]: refused(500, 'x') });
  fireEvent.click(await (await dialog('Subcategories: Network')).findByRole('button', { name: 'Edit Slow' }));
  const form = await dialog('Edit Work Unit Subcategory: Slow');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Slower' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('A problem occurred saving the work unit subcategory. Please try again.');
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Slower');
});

it('the panels close one after the other', async () => {
  const { search } = await open(`?subcategoriesOf=${id}&subcategoryId=new`);
  await dialog('Subcategories: Network');
  await dialog('Create Work Unit Subcategory');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(search().get('subcategoryId')).toBeNull());
  expect(search().get('subcategoriesOf')).toBe(id);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(search().get('subcategoriesOf')).toBeNull());
});

it('says when a category is not there', async () => {
  await open(`?subcategoriesOf=${id}`, { [`GET /v1/workUnitCategories(${id})`]: refused(404, 'x') });
  expect(await screen.findByText('The category was not found. It may have been deleted, or you do not have access to it.')).toBeTruthy();
});
