import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const tenant = {
  tenantId,
  name: 'Northwind Energy',
  internalNotificationEmailAddress: 'ops@northwind.example',
  assignmentGroups: 'Network,Desk',
  enabled: true,
  workUnitField1: 'Site',
  workUnitFieldDef1: { Name: 'Site', Type: 1 },
  workUnitFieldDef3: { Name: 'Shift', Type: 2, Options: 'Day,Night' },
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  subscriptions: [{ subscriptionId }],
};
const subscription = { subscriptionId, tenantId, name: 'Grid operations', created: '2026-01-01T00:00:00.000Z' };
const secret = {
  id: '01a1fcdb-e331-70c1-ba47-000000000301',
  tenantId,
  name: 'mail.key',
  latestVersion: 2,
  allowedHosts: 'smtp.example.com',
  allowedActions: ['01a1fcdb-e331-70c1-ba47-000000000777'],
  modified: '2026-01-01T00:00:00.000Z',
};
const secrets = `/v1/tenants/${tenantId}/secrets`;
const answers: Answers = {
  'GET /v1/tenants': list([tenant]),
  [`GET /v1/tenants(${tenantId})`]: tenant,
  'PUT /v1/tenants': tenant,
  [`POST /v1/tenants/${tenantId}`]: tenant,
  [`GET ${secrets}`]: list([secret]),
  'GET /v1/subscriptions': list([subscription]),
  [`GET /v1/subscriptions(${subscriptionId})`]: subscription,
  'PUT /v1/subscriptions': subscription,
  [`POST /v1/subscriptions/${subscriptionId}`]: subscription,
};

beforeEach(() => localStorage.clear());

const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/tenants${query}`, { ...answers, ...more });
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
const edit = () => dialog('Edit Tenant: Northwind Energy');
const sent = (calls: readonly ApiCall[], method: string, path = '') =>
  calls.filter((call) => call.method === method && call.path.includes(path));

it('lists tenants by tens, searched by name, with favorites of this browser', async () => {
  const { calls } = await open('?search=North');
  const link = await proves('[TEN-001] stands at its address', () => screen.findByRole('link', { name: 'Northwind Energy' }));
  const row = within(link.closest('tr') as HTMLElement);
  const lastQuery = calls.find((call) => call.path === '/v1/tenants')?.query;
  await proves('[TEN-003] ten to a page', () => expect(lastQuery?.get('$top')).toBe('10'));
  await proves('[TEN-002] searches names', () => expect(lastQuery?.get('$filter')).toBe("contains(folded(name),'north')"));
  expect(row.getAllByRole('cell')[1]?.textContent).toBe('Enabled');
  const menu = within(screen.getByRole('group', { name: 'Administration' }));
  await proves('[SHELL-027] stands in the menu', () =>
    expect(menu.getByRole('link', { name: 'Tenants' }).getAttribute('href')).toBe('/tenants'),
  );
  const before = calls.length;
  fireEvent.click(row.getByRole('button', { name: 'Favorite: Northwind Energy' }));
  await waitFor(() => expect(row.getByRole('button', { name: /^Favorite/ }).getAttribute('aria-pressed')).toBe('true'));
  await proves('[TEN-007] keeps favorites in the browser', () => {
    expect(localStorage.getItem('cloudfit.tenants.favorite')).toContain(tenantId);
    // The frame reads its counts later.
    expect(calls.slice(before).filter(({ method, path }) => method !== 'GET' || path.startsWith('/v1/tenants'))).toEqual([]);
  });
});

it('the panel has three tabs, that of its rules and that of its end, creates and edits; a failed save says so and keeps what was typed', async () => {
  const { calls } = await open('?id=new', { [`POST /v1/tenants/${tenantId}`]: refused(500, 'x') });
  const creating = await dialog('Create Tenant');
  fireEvent.click(await creating.findByRole('button', { name: 'Create' }));
  await proves('[TEN-015] needs a name', () => creating.findByText('Name is required.'));
  fireEvent.change(creating.getByLabelText(/^Name/), { target: { value: 'Eastwind' } });
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Create Tenant' })).toBeNull());
  expect(sent(calls, 'PUT')[0]?.body).toEqual({
    name: 'Eastwind',
    changesNeedApproval: true,
    onlyTrustedPublishers: false,
    internalNotificationEmailAddress: null,
    assignmentGroups: null,
  });

  fireEvent.click(await screen.findByRole('link', { name: 'Northwind Energy' }));
  const editing = await edit();
  await proves('[TEN-004] has these tabs', () =>
    expect(editing.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
      'Details',
      'Additional Fields2',
      'Secrets',
      'Rules',
      'Offboarding',
    ]),
  );
  fireEvent.change(editing.getByLabelText(/^Assignment groups/), { target: { value: 'Desk' } });
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await proves('[ERR-036] says that it failed', () => screen.findByText('Unable to save tenant, please try again.'));
  expect(sent(calls, 'POST', '/v1/tenants/').at(-1)?.body).toEqual({ assignmentGroups: 'Desk' });
  expect(editing.getByLabelText<HTMLInputElement>(/^Assignment groups/).value).toBe('Desk');
});

it('edits the additional fields, refuses two of one name and one without', async () => {
  const { calls, search } = await open(`?id=${tenantId}&tab=fields`);
  const panel = await edit();
  const group = (name: string) => within(panel.getByRole('group', { name: `Additional field ${name}` }));
  await proves('[TEN-011] has options where it is a dropdown', () => {
    expect(group('Shift').getByLabelText<HTMLInputElement>(/^Options/).value).toBe('Day,Night');
    expect(group('Site').queryByLabelText(/^Options/)).toBeNull();
  });
  await proves('[TEN-010] has one of these types', () =>
    expect([...group('Site').getByLabelText<HTMLSelectElement>(/^Type/).options].map((option) => [option.value, option.text])).toEqual([
      ['1', 'Textbox'],
      ['2', 'Dropdown'],
    ]),
  );
  fireEvent.click(panel.getByRole('button', { name: 'Add field' }));
  const added = group('new');
  const column = added.getByLabelText<HTMLSelectElement>(/^Column/);
  await proves('[TEN-013] has one of 15 columns', () => expect([column.value, column.options.length]).toEqual(['2', 15]));
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await proves('[TEN-019] needs a name', () => added.findByText('Name is required.'));
  fireEvent.change(added.getByLabelText(/^Name/), { target: { value: ' site' } });
  await proves('[TEN-017] says that there are two', () => panel.findByText('Can not have duplicate custom fields.'));
  const again = group('site');
  fireEvent.change(again.getByLabelText(/^Name/), { target: { value: 'Line' } });
  fireEvent.change(group('Line').getByLabelText(/^Column/), { target: { value: '1' } });
  await panel.findByText('Can not have duplicate custom fields.');
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await proves('[TEN-016] saves no two of one name', () => expect(sent(calls, 'POST', '/v1/tenants/')).toEqual([]));

  // Typed text stays while another tab is open.
  fireEvent.click(panel.getByRole('tab', { name: /^Details/ }));
  await waitFor(() => expect(search().get('tab')).toBeNull());
  fireEvent.click(panel.getByRole('tab', { name: /^Additional Fields/ }));
  fireEvent.change(group('Line').getByLabelText(/^Column/), { target: { value: '2' } });
  fireEvent.change(group('Line').getByLabelText(/^Type/), { target: { value: '2' } });
  fireEvent.change(group('Line').getByLabelText(/^Options/), { target: { value: 'A,B' } });
  fireEvent.click(panel.getByRole('button', { name: 'Remove Site' }));
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent(calls, 'POST', '/v1/tenants/')).toHaveLength(1));
  await proves('[TEN-009] saves name, type and options', () =>
    expect(sent(calls, 'POST', '/v1/tenants/')[0]?.body).toEqual({
      workUnitFieldDef1: null,
      workUnitFieldDef2: { Name: 'Line', Type: 2, Options: 'A,B' },
    }),
  );
});

it('says what names each secret, and its last reading or use', async () => {
  const usedBy = [
    { kind: 'action', id: 'a', name: 'Page the plant' },
    { kind: 'protocolAction', id: 'b', name: null },
  ];
  const lastUse = { at: '2026-11-22T08:00:00Z', verb: 'use', by: 'Automation', purpose: 'Page the plant' };
  await open(`?id=${tenantId}&tab=secrets`, {
    [`GET /v1/tenants/${tenantId}/secretUses`]: list([{ secretId: secret.id, usedBy, lastUse }]),
  });
  await screen.findByText(/Used by Page the plant, something that you may not view · Last sent by Automation for Page the plant/);
});

it('shows the secrets by name, a value on demand, and writes them', async () => {
  const { calls } = await open(`?id=${tenantId}&tab=secrets`, {
    [`GET ${secrets}/${secret.id}/versions/latest`]: { value: 'violet tractor', version: 2 },
    [`PUT ${secrets}`]: secret,
    [`POST ${secrets}/${secret.id}`]: secret,
    'GET /v1/actionDefinitions': list([{ actionDefinitionId: secret.allowedActions[0], name: 'Call the desk' }]),
    [`DELETE ${secrets}/${secret.id}`]: () => new Response(null, { status: 204 }),
  });
  const panel = await edit();
  await proves('[TEN-004] has them on a tab', () => panel.findByText('mail.key'));
  await panel.findByText('Only to smtp.example.com · Only by Call the desk');
  expect(sent(calls, 'GET', 'versions')).toEqual([]);
  fireEvent.click(panel.getByRole('button', { name: 'Show mail.key' }));
  await proves('[TEN-012] has a value', () => panel.findByText('violet tractor'));
  fireEvent.click(panel.getByRole('button', { name: 'Hide mail.key' }));
  expect(panel.queryByText('violet tractor')).toBeNull();

  const form = within(panel.getByRole('form', { name: 'Add secret' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'two words' } });
  fireEvent.click(form.getByRole('button', { name: 'Add secret' }));
  await proves('[TEN-012] needs a value and a name', async () => {
    await form.findByText('A secret needs a value.');
    form.getByText('A secret needs a name of letters, digits, dots, dashes and underscores.');
  });
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'api-key' } });
  fireEvent.change(form.getByLabelText(/^Value/), { target: { value: 'marzipan' } });
  fireEvent.click(form.getByRole('button', { name: 'Add secret' }));
  await screen.findByText('api-key is saved.');
  await proves('[TEN-012] is created with name and value', () =>
    expect(sent(calls, 'PUT')[0]).toMatchObject({
      path: secrets,
      body: { name: 'api-key', value: 'marzipan', allowedHosts: null, allowedActions: null },
    }),
  );

  fireEvent.click(panel.getByRole('button', { name: 'Change mail.key' }));
  const editing = within(panel.getByRole('form', { name: 'New value of mail.key' }));
  fireEvent.change(editing.getByLabelText(/^Hosts that may receive it/), { target: { value: 'https://mail.example.com' } });
  fireEvent.click(editing.getByRole('button', { name: 'Save secret' }));
  await editing.findByText('Hosts are names such as api.example.com or *.example.com, separated by commas.');
  fireEvent.change(editing.getByLabelText(/^Hosts that may receive it/), { target: { value: 'mail.example.com' } });
  fireEvent.click(await editing.findByRole('button', { name: 'Remove Call the desk' }));
  fireEvent.click(editing.getByRole('button', { name: 'Save secret' }));
  await screen.findByText('mail.key is saved.');
  expect(sent(calls, 'POST', secrets)[0]?.body).toEqual({ allowedHosts: 'mail.example.com', allowedActions: null });

  fireEvent.click(panel.getByRole('button', { name: 'Delete mail.key' }));
  fireEvent.click((await dialog('Delete secret')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent(calls, 'DELETE')).toHaveLength(1));
});

it('has no unsaved change after a secret is saved, although the list takes long', async () => {
  let isSaved = false;
  await open(`?id=${tenantId}&tab=secrets`, {
    [`GET ${secrets}`]: () => (isSaved ? new Promise<Response>(() => undefined) : list([secret])),
    [`PUT ${secrets}`]: () => {
      isSaved = true;
      return secret;
    },
  });
  const panel = await edit();
  await panel.findByText('mail.key');
  const form = within(panel.getByRole('form', { name: 'Add secret' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'api-key' } });
  fireEvent.change(form.getByLabelText(/^Value/), { target: { value: 'marzipan' } });
  fireEvent.click(form.getByRole('button', { name: 'Add secret' }));
  await screen.findByText('api-key is saved.');
  fireEvent.click(panel.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Edit Tenant: Northwind Energy' })).toBeNull());
  expect(screen.queryByText('There are unsaved changes. Are you sure you want to close?')).toBeNull();
});

it('[TEN-014] a toggle action disables a tenant, after a question', async () => {
  const path = `/v1/tenants/toggledisabled/${tenantId}`;
  const { calls } = await open('', { [`POST ${path}`]: { ...tenant, enabled: false } });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Northwind Energy' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Disable Tenant' }));
  fireEvent.click((await dialog('Disable Tenant')).getByRole('button', { name: 'Disable Tenant' }));
  await screen.findByText('Northwind Energy is disabled.');
  expect(sent(calls, 'POST', 'toggledisabled').map((call) => call.path)).toEqual([path]);
});

it('has the subscriptions of a tenant in a panel, and each in a panel of its own', async () => {
  const { calls, search } = await open('', { [`POST /v1/subscriptions/${subscriptionId}`]: refused(500, 'x') });
  fireEvent.click(await screen.findByRole('button', { name: '1 Subscriptions of Northwind Energy' }));
  const panel = await proves('[TEN-005] opens the subscriptions', () => dialog('Subscriptions: Northwind Energy'));
  expect(search().get('subscriptionsOf')).toBe(tenantId);
  fireEvent.click(await panel.findByRole('button', { name: 'Edit Grid operations' }));
  expect(calls.find((call) => call.path === '/v1/subscriptions')?.query.get('$filter')).toBe(`tenantId eq ${tenantId}`);
  const editing = await proves('[SUB-001] opens one', () => dialog('Edit Subscription: Grid operations'));
  fireEvent.change(editing.getByLabelText(/^Name/), { target: { value: 'Grid' } });
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await proves('[ERR-035] says that it failed', () =>
    screen.findByText('A problem occured saving the tenant subscription. Please try again.'),
  );
  expect(editing.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Grid');
  fireEvent.change(editing.getByLabelText(/^Name/), { target: { value: 'Grid operations' } });
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(search().get('subscriptionId')).toBeNull());

  fireEvent.click(panel.getByRole('button', { name: 'Create Subscription' }));
  const creating = await dialog('Create Subscription');
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await proves('[SUB-003] needs a name', () => creating.findByText('Name is required.'));
  fireEvent.change(creating.getByLabelText(/^Name/), { target: { value: 'Plant 7' } });
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent(calls, 'PUT')).toHaveLength(1));
  expect(sent(calls, 'PUT')[0]?.body).toEqual({ name: 'Plant 7', tenantId });
  await dialog('Subscriptions: Northwind Energy');
});

describe('the details of a tenant', () => {
  const counted = (count: number) => ({ '@odata.count': count, value: [] });
  const person = { personId: '01a1fcdb-e331-70c1-ba47-000000000401', name: 'Ruth Adeyemi', userName: 'ruth', enabled: true };
  const grant = {
    grantId: '01a1fcdb-e331-70c1-ba47-000000000501',
    personId: person.personId,
    person,
    claim: null,
    permissionSetId: '01a1fcdb-e331-70c1-ba47-000000000601',
    permissionSet: { name: 'Operator' },
    tenantId,
    created: '2026-01-01T00:00:00.000Z',
  };
  const byGroup = { ...grant, grantId: '01a1fcdb-e331-70c1-ba47-000000000502', personId: null, person: null, claim: 'ops', tenantId: null };
  const entityId = '01a1fcdb-e331-70c1-ba47-000000000701';
  const used: Answers = {
    'GET /v1/devices': counted(1_234),
    'GET /v1/workUnits': counted(7),
    'GET /v1/packets': list([{ entityId, timestamp: '2026-01-01T00:00:00.000Z' }]),
    'GET /v1/subscriptions': counted(2),
    'GET /v1/grants': { ...list([grant, byGroup]), '@odata.count': 25 },
  };
  const onlyIn = (permissions: readonly string[]): Answers => ({
    'GET /v1/permissions': ({ query }: ApiCall) => (query.get('tenantId') === tenantId ? permissions : allPermissions),
  });

  it('say how much it uses, each number a link to the list of this tenant', async () => {
    const { calls, search } = await open(`?id=${tenantId}`, used);
    const usage = within(await (await edit()).findByRole('region', { name: 'Usage' }));
    const href = (link: HTMLElement) => link.getAttribute('href');
    expect(href(await usage.findByRole('link', { name: /^Devices ?1,234$/ }))).toBe(`/${tenantId}/devices`);
    expect(href(await usage.findByRole('link', { name: /^Open work units ?7$/ }))).toBe(
      `/${tenantId}/workunitsv2?f.stateId=New,Acknowledged,InProgress,OnHold,Mitigated`,
    );
    expect(href(await usage.findByRole('link', { name: /^Last report/ }))).toBe(`/${tenantId}/packets/${entityId}`);
    for (const name of ['devices', 'workUnits', 'packets'])
      expect(sent(calls, 'GET', `/v1/${name}`).at(-1)?.query.get('$filter')).toContain(`tenantId eq ${tenantId}`);
    await usage.findByText('The list of devices shows one subscription at a time.');
    fireEvent.click(await usage.findByRole('button', { name: /^Subscriptions ?2$/ }));
    await waitFor(() => expect(search().get('subscriptionsOf')).toBe(tenantId));
  });

  it('name who reaches it, by this tenant or by all, with a link to give more', async () => {
    const { calls } = await open(`?id=${tenantId}`, used);
    const access = within(await (await edit()).findByRole('region', { name: 'People with access' }));
    const ruth = await access.findByRole('link', { name: 'Ruth Adeyemi' });
    expect(ruth.getAttribute('href')).toBe(`/${tenantId}/people?id=${person.personId}&tab=access`);
    const group = access.getByRole('link', { name: 'ops' });
    expect(group.getAttribute('href')).toBe(`/${tenantId}/access?id=${byGroup.grantId}`);
    expect(access.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Ruth Adeyemi Operatorthis tenant',
      'ops group Operatorall tenants',
    ]);
    expect(sent(calls, 'GET', '/v1/grants').at(-1)?.query.get('$filter')).toBe(`tenantId in (${tenantId},null)`);
    expect(access.getByRole('link', { name: 'All 25 grants' }).getAttribute('href')).toBe(
      `/${tenantId}/access?f.tenantId=${tenantId},null`,
    );
    expect(access.getByRole('link', { name: 'Give access' }).getAttribute('href')).toBe(`/${tenantId}/access?id=new`);
    fireEvent.click(group);
    await screen.findByRole('dialog', { name: /Grant/ });
  });

  it('mark a grant that gives nothing, because the person or the tenant is disabled', async () => {
    const former = { ...grant, grantId: 'g-former', person: { ...person, name: 'Carl Lund', enabled: false }, tenantId: null };
    const itemsOf = async (enabled: boolean) => {
      const closed = { ...tenant, enabled };
      const more = { 'GET /v1/tenants': list([closed]), [`GET /v1/tenants(${tenantId})`]: closed };
      await open(`?id=${tenantId}`, { ...used, ...more, 'GET /v1/grants': list([grant, byGroup, former]) });
      const access = within(await (await edit()).findByRole('region', { name: 'People with access' }));
      await access.findByRole('link', { name: 'ops' });
      return access.getAllByRole('listitem').map((item) => item.textContent?.includes('Disabled'));
    };
    expect(await itemsOf(true)).toEqual([false, false, true]);
    expect(await itemsOf(false)).toEqual([true, false, true]);
  });

  it('show and ask for only what may be viewed in this tenant, not in another', async () => {
    const { calls } = await open(`?id=${tenantId}`, {
      ...used,
      ...onlyIn(['CloudFit.CFS.Tenants:view', 'CloudFit.CFS.Devices:view', 'CloudFit.CFS.People:view']),
    });
    const panel = await edit();
    const usage = within(await panel.findByRole('region', { name: 'Usage' }));
    await usage.findByRole('link', { name: /^Devices ?1,234$/ });
    expect(usage.getAllByRole('listitem')).toHaveLength(1);
    const access = within(panel.getByRole('region', { name: 'People with access' }));
    await access.findByRole('link', { name: 'Ruth Adeyemi' });
    expect(access.queryByRole('link', { name: 'Give access' })).toBeNull();
    for (const name of ['workUnits', 'packets']) expect(sent(calls, 'GET', `/v1/${name}`)).toEqual([]);
  });

  it('say nothing of access to those who may not view it', async () => {
    const { calls } = await open(`?id=${tenantId}`, { ...used, ...onlyIn(['CloudFit.CFS.Tenants:view', 'CloudFit.CFS.Devices:view']) });
    const panel = await edit();
    await panel.findByRole('region', { name: 'Usage' });
    expect(panel.queryByRole('region', { name: 'People with access' })).toBeNull();
    expect(sent(calls, 'GET', '/v1/grants')).toEqual([]);
  });
});
