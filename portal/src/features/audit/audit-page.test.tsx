/** The audit page: the search is in the address and in the query; before and after are side by side. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { list, renderApp, tenantId, type ApiCall } from '../../testing/render-app.tsx';
import { differencesOf, linesOf, olderThan } from './audit-query.ts';

const entry = (auditId: number, more: object = {}) => ({
  auditId,
  at: new Date(Date.UTC(2026, 10, 22, 12, 0, 0) - auditId * 60_000).toISOString(),
  tenantId,
  actorKind: 'person',
  actorId: 'p1',
  actorName: 'jonas@northwind.example',
  verb: 'update',
  entity: 'locations',
  entityId: '01a1fcdb-e331-70c1-ba47-000000000701',
  before: { name: 'Mill', phone: '1', locationId: 'x' },
  after: { name: 'Old mill', phone: '1', locationId: 'x' },
  correlationId: '01a1fcdb-e331-70c1-ba47-000000000702',
  address: '192.0.2.7',
  ...more,
});
const pages: Record<string, unknown> = {
  'GET /v1/audit': ({ query }: ApiCall) =>
    list(
      query.get('$filter')?.includes('auditId lt')
        ? [entry(51, { verb: 'delete', after: null })]
        : Array.from({ length: 50 }, (_, i) => entry(i + 1)),
    ),
  'GET /v1/audit(1)': entry(1),
};
beforeEach(() => localStorage.clear());
const reads = (calls: readonly ApiCall[]) => calls.filter((call) => call.path === '/v1/audit').map((call) => call.query.get('$filter'));

it('lists the entries of the tenant, the newest first, and older ones from where the last one stood', async () => {
  const { calls } = await renderApp(`/${tenantId}/audit`, pages);
  const [name] = await screen.findAllByText('Jonas Feld');
  const row = within(name?.closest('tr') as HTMLElement);
  for (const text of ['Jonas Feld', 'Changed', 'Location', 'Old mill', 'Name']) await row.findByText(text);
  const first = calls.find((call) => call.path === '/v1/audit')?.query;
  expect([first?.get('$filter'), first?.get('$orderby'), first?.get('$top'), first?.get('$count')]).toEqual([
    `tenantId eq ${tenantId}`,
    'at desc,auditId desc',
    '50',
    null,
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Older entries' }));
  await screen.findByText('No older entries.');
  expect(screen.getByText('Deleted', { selector: 'td, td *' })).toBeTruthy();
  const last = entry(50).at.replace('.000', '');
  expect(reads(calls).at(-1)).toBe(`tenantId eq ${tenantId} and (at le ${last} and (at lt ${last} or auditId lt 50))`);
});

it('leads from a tenant without entries to those of the installation', async () => {
  const { search } = await renderApp(`/${tenantId}/audit?verb=see-as`, {
    'GET /v1/audit': ({ query }: ApiCall) =>
      list(query.get('$filter')?.includes('tenantId eq null') ? [entry(1, { verb: 'see-as', after: { name: 'Old mill' } })] : []),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Look at the installation' }));
  await screen.findByText('Old mill');
  expect([search().get('where'), search().get('verb')]).toEqual(['installation', 'see-as']);
});

it('names a row without a title by what it is of, and a day without its midnight', async () => {
  const controlId = '01a1fcdb-e331-70c1-ba47-000000000901';
  await renderApp(`/${tenantId}/audit`, {
    'GET /v1/audit': list([
      entry(1, { entity: 'controlStatuses', before: { controlId, tenantId, notes: null }, after: { controlId, tenantId, notes: null } }),
      entry(2, { entity: 'complianceSignOffs', before: null, after: { checkDate: '2026-11-16T00:00:00.000Z' } }),
    ]),
    'GET /v1/controls': list([{ id: controlId, name: 'OPS-01' }]),
  });
  await screen.findByText('OPS-01');
  await screen.findByText('2026-11-16');
});

it('names the person of a sign-in, and says in words what was done to what has no list', async () => {
  const personId = '01a1fcdb-e331-70c1-ba47-000000000904';
  const bare = { before: null, after: null };
  const { calls } = await renderApp(`/${tenantId}/audit`, {
    'GET /v1/audit': list([
      entry(1, { ...bare, entity: 'people', verb: 'set-password', entityId: personId }),
      entry(2, { ...bare, entity: 'people', verb: 'sign-in-refused', entityId: 'nobody@northwind.example' }),
      entry(3, { ...bare, entity: 'onCallHandovers', verb: 'handover' }),
    ]),
    'GET /v1/people': list([{ personId, name: 'Mara Lind' }]),
  });
  const row = within((await screen.findByText('Mara Lind', { selector: 'td, td *' })).closest('tr') as HTMLElement);
  row.getByText('Set the password');
  screen.getByText('nobody@northwind.example');
  screen.getByText('Handed over', { selector: 'td, td *' });
  screen.getByText('On-call handover', { selector: 'td, td *' });
  screen.getByRole('option', { name: 'On-call handover' });
  const lookups = calls.filter(({ path, query }) => path === '/v1/people' && query.get('$filter')?.includes(personId));
  expect(lookups.map(({ query }) => query.get('$filter'))).not.toContainEqual(expect.stringContaining('nobody'));
});

it('looks for a person, a kind, an entity, a row and a time, kept in the address', async () => {
  const { calls, search } = await renderApp(`/${tenantId}/audit?who=jonas@northwind.example`, pages);
  await screen.findAllByText('Changed', { selector: 'td' });
  fireEvent.change(screen.getByLabelText('Did'), { target: { value: 'update' } });
  await waitFor(() => expect(search().get('verb')).toBe('update'));
  fireEvent.change(screen.getByLabelText('What'), { target: { value: 'locations' } });
  await waitFor(() => expect(search().get('entity')).toBe('locations'));
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-01T00:00' } });
  fireEvent.blur(screen.getByLabelText('From'));
  await waitFor(() =>
    expect(reads(calls).at(-1)).toBe(
      `tenantId eq ${tenantId} and actorName eq 'jonas@northwind.example' and entity eq 'locations' and verb eq 'update' and at ge ${new Date('2026-11-01T00:00').toISOString().replace('.000', '')}`,
    ),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Clear all' }));
  await waitFor(() => expect([...search().keys()]).toEqual([]));
});

it('shows before and after side by side, changed fields first, and leads to the history of the row', async () => {
  const { search, calls } = await renderApp(`/${tenantId}/audit?id=1`, pages);
  const panel = within(await screen.findByRole('dialog', { name: 'Changed: Location' }));
  panel.getByText('Jonas Feld (jonas@northwind.example)');
  const cells = () =>
    panel
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
  expect(cells()).toEqual(['NameMillOld mill']);
  fireEvent.click(panel.getByRole('button', { name: 'Show 2 unchanged fields' }));
  expect(cells()).toHaveLength(3);
  fireEvent.click(panel.getByRole('button', { name: 'History of this' }));
  await waitFor(() => expect(Object.fromEntries(search())).toEqual({ entity: 'locations', row: entry(1).entityId }));
  await waitFor(() => expect(reads(calls).at(-1)).toBe(`entity eq 'locations' and entityId eq '${entry(1).entityId}'`));
});

it('names rows, choices and times where ids and codes are recorded, and shows the lines of a list that differ', async () => {
  const subscription = '01a1fcdb-e331-70c1-ba47-000000000703';
  const condition = (value: string) => ({ leftOperand: 'Cpu', rightOperand: value });
  await renderApp(`/${tenantId}/audit?id=1`, {
    ...pages,
    'GET /v1/audit(1)': entry(1, {
      entity: 'rules',
      before: { enabled: true, subscriptionId: subscription, conditions: [condition('30'), condition('90')] },
      after: { enabled: false, conditions: [condition('30'), condition('95')] },
    }),
    'GET /v1/audit': list([]),
    'GET /v1/subscriptions': ({ query }: ApiCall) =>
      list(query.get('$filter') === `subscriptionId eq ${subscription}` ? [{ subscriptionId: subscription, name: 'Gold' }] : []),
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Changed: Rule' }));
  await panel.findByText('Gold');
  panel.getByText('2 rightOperand: 90');
  panel.getByText('2 rightOperand: 95');
  expect(panel.getByRole('row', { name: /^Enabled/ }).textContent).toBe('EnabledYesNo');
  expect(linesOf([{ a: { b: 1 }, c: null }, 'x'])).toEqual(['1 a b: 1', '2: x']);
});

it('shows only what changed within an action, with names in place of ids', async () => {
  const protocolId = '01a1fcdb-e331-70c1-ba47-000000000a01';
  const action = { ActionDefinitionId: 'unit', Parameters: { SeverityId: 'Sev2' } };
  const mail = { ActionDefinitionId: 'mail', Parameters: { To: 'desk' } };
  const changed = { ...action, Parameters: { ProtocolId: protocolId, SeverityId: 'Sev2' } };
  await renderApp(`/${tenantId}/audit?id=1`, {
    ...pages,
    'GET /v1/audit(1)': entry(1, { entity: 'rules', before: { matchActions: [action] }, after: { matchActions: [mail, changed] } }),
    'GET /v1/audit': list([]),
    'POST /v1/configuration/names': { names: { [protocolId]: 'Page the desk' } },
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Changed: Rule' }));
  const cell = await panel.findByText(/2 Parameters ProtocolId: Page the desk/);
  expect(cell.textContent).toBe('1 ActionDefinitionId: mail\n1 Parameters To: desk\n2 Parameters ProtocolId: Page the desk');
  expect(cell.previousElementSibling?.textContent).toBe('—');
});

it('restores a version after it has shown what would change, and says what stays', async () => {
  const change = {
    resource: 'locations',
    verb: 'change',
    name: 'Mill',
    key: 'k',
    fields: [{ field: 'name', before: 'Old mill', after: 'Mill' }],
  };
  const left = [{ resource: 'locations', name: 'Quay', reason: 'It was changed after that: City.' }];
  const { calls } = await renderApp(`/${tenantId}/audit?id=1`, {
    ...pages,
    'POST /v1/configuration/restore': { dryRun: true, changes: [change], left, names: {} },
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Changed: Location' }));
  const sent = () => calls.filter(({ path }) => path === '/v1/configuration/restore').map(({ body }) => body);
  fireEvent.click(panel.getByRole('button', { name: 'Take back all changes of this request' }));
  await panel.findByText(/It was changed after that/);
  fireEvent.click(panel.getByRole('button', { name: 'Cancel' }));
  fireEvent.click(panel.getByRole('button', { name: 'Restore this version' }));
  await panel.findByText('Change Location: Mill');
  fireEvent.change(panel.getByLabelText('Why (optional)'), { target: { value: 'Wrong name' } });
  fireEvent.click(panel.getByRole('button', { name: 'Restore' }));
  await screen.findByText('1 row was restored.');
  expect(sent()).toEqual([
    { changeSet: entry(1).correlationId, dryRun: true },
    { auditId: 1, dryRun: true },
    { auditId: 1, dryRun: false, note: 'Wrong name' },
  ]);
});

it('is reached from the menu of any row, and from its panel', async () => {
  const location = { locationId: entry(1).entityId, name: 'Old mill', tenantId, tenant: { name: 'Northwind Energy' } };
  const { router } = await renderApp(`/${tenantId}/locations`, {
    ...pages,
    'GET /v1/locations': list([location]),
    [`GET /v1/locations(${location.locationId})`]: location,
  });
  const row = within((await screen.findByText('Old mill')).closest('tr') as HTMLElement);
  fireEvent.click(row.getByText('Old mill'));
  const link = await within(await screen.findByRole('dialog', { name: /Old mill/ })).findByRole('link', { name: 'History' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/audit?entity=locations&row=${location.locationId}`);
  fireEvent.click(row.getByRole('button', { name: /Actions for/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'History of this' }));
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe(link.getAttribute('href')));
});

it('compares whole rows, and pages from a position', () => {
  expect(differencesOf({ before: null, after: { a: 1 } })).toEqual([{ name: 'a', before: undefined, after: 1, isChanged: true }]);
  expect(differencesOf({ before: { a: [1], b: 2 }, after: { a: [1] } }).map(({ name, isChanged }) => [name, isChanged])).toEqual([
    ['b', true],
    ['a', false],
  ]);
  expect(olderThan(undefined)).toBeUndefined();
});

it('exports the words that the screen shows', async () => {
  const files: Blob[] = [];
  URL.createObjectURL = (file) => `blob:${files.push(file as Blob)}`;
  URL.revokeObjectURL = () => undefined;
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  await renderApp(`/${tenantId}/audit`, {
    'GET /v1/audit': list([entry(1), entry(2, { verb: 'sign-in-refused', entity: 'people', entityId: 'p1', before: null })]),
  });
  await screen.findAllByText('Jonas Feld');
  fireEvent.click(screen.getByRole('button', { name: 'Export Page' }));
  await waitFor(() => expect(files).toHaveLength(1));
  const csv = (await files[0]?.text()) ?? '';
  expect(csv).toContain('Changed');
  expect(csv).toContain('Location');
  expect(csv).toContain('Sign-in refused');
  expect(csv).not.toMatch(/"(?:update|sign-in-refused|locations|people)"/);
  click.mockRestore();
});
