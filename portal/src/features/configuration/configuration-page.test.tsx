/** Configuration on the screen: the difference before an import is applied, features, settings with their source. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const document = { cloudfit: 'configuration', version: 1, rows: { locations: [{ name: 'Mill' }] } };
const changes = [
  {
    resource: 'locations',
    verb: 'change',
    name: 'Mill',
    key: 'k1',
    at: 'locations[0]',
    fields: [{ field: 'phone', before: '1', after: '2' }],
  },
  {
    resource: 'locations',
    verb: 'add',
    name: 'Quay',
    key: 'k2',
    at: 'locations[1]',
    fields: [{ field: 'name', before: null, after: 'Quay' }],
  },
];
const outcome = { added: 1, changed: 1, unchanged: 3, changes, left: [], missing: [], names: {} };
const feature = { featureId: 'f1', name: 'I3ERequestForm', description: 'Access requests', enabled: false };

beforeEach(() => localStorage.clear());
const open = (more: Answers = {}) =>
  renderApp(`/${tenantId}/configuration`, {
    'POST /v1/configuration': ({ body }: ApiCall) => ({ ...outcome, dryRun: (body as { dryRun: boolean }).dryRun }),
    'GET /v1/features': list([feature]),
    'POST /v1/features/f1': { ...feature, enabled: true },
    installationSettings: {
      value: [
        { name: 'SMTP_URL', about: 'Mail server.', value: 'smtp://***@mail.example.com:25', source: 'environment' },
        { name: 'PUBLIC_URL', about: 'Address.', value: null, source: 'default' },
      ],
    },
    ...more,
  });
const choose = async (content: string) => {
  const file = new File([content], 'configuration.json', { type: 'application/json' });
  fireEvent.change(await screen.findByLabelText('File'), { target: { files: [file] } });
};
const sent = (calls: readonly ApiCall[]) =>
  calls.filter((call) => call.method === 'POST' && call.path === '/v1/configuration').map((call) => call.body);

it('shows what an import would change, and changes nothing before it is applied', async () => {
  const { calls } = await open();
  await choose(JSON.stringify(document));
  await screen.findByText('1 added, 1 changed, 3 unchanged.');
  const [changed, added] = within(screen.getByRole('region', { name: 'Import' })).getAllByRole('listitem');
  expect(changed?.textContent).toMatch(/Change Location: Mill.*12$/);
  expect(added?.textContent).toMatch(/Add Location: Quay/);
  expect(sent(calls)).toEqual([{ ...document, dryRun: true, partly: true, tenantId }]);
  fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
  await screen.findByText(/The configuration was imported/);
  expect(sent(calls)).toEqual([
    { ...document, dryRun: true, partly: true, tenantId },
    { ...document, dryRun: false, partly: true, tenantId },
  ]);
});

it('imports only the chosen rows, with what a person chose in place of what is missing', async () => {
  const key = '0197f000-0000-7000-8000-00000000000a';
  const left = [{ at: 'rules[0]', resource: 'rules', name: 'Hot', reason: 'The person mara@example.com is missing here.' }];
  const missing = [{ resource: 'people', name: 'mara@example.com', key, rows: 2 }];
  const { calls } = await open({
    'POST /v1/configuration': ({ body }: ApiCall) => {
      const isMapped = (body as { mapping?: unknown }).mapping !== undefined;
      return { ...outcome, dryRun: true, left: isMapped ? [] : left, missing: isMapped ? [] : missing };
    },
  });
  await choose(JSON.stringify(document));
  await screen.findByText(/is missing here/);
  const person = await screen.findByRole('combobox', { name: 'Person: mara@example.com' });
  fireEvent.mouseDown(person);
  fireEvent.click(person);
  fireEvent.click(await screen.findByRole('option', { name: 'Leave it out' }));
  await waitFor(() => expect(screen.queryByText(/is missing here/)).toBeNull());
  fireEvent.click(screen.getByRole('checkbox', { name: 'Import Quay' }));
  await screen.findByText('1 of 2');
  // The row stays in the list, so that it can be chosen again.
  expect(screen.getByRole('checkbox', { name: 'Import Quay' })).toHaveProperty('checked', false);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', false));
  fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(sent(calls).at(-1)).toEqual({
      ...document,
      dryRun: false,
      partly: true,
      tenantId,
      mapping: { people: { [key]: null } },
      without: ['locations[1]'],
    }),
  );
});

it('makes what is missing when a person says so, and says what people get', async () => {
  const missing = [{ resource: 'people', name: 'mara@example.com', key: '0197f000-0000-7000-8000-00000000000a', rows: 2 }];
  const { calls } = await open({
    'POST /v1/configuration': ({ body }: ApiCall) => ({
      ...outcome,
      dryRun: true,
      missing: (body as { make?: boolean }).make ? [] : missing,
    }),
  });
  await choose(JSON.stringify(document));
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Make missing people and devices' }));
  await screen.findByText(/People may read the tenants/);
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Person: mara@example.com' })).toBeNull());
  await waitFor(() => expect(screen.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', false));
  fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(sent(calls).at(-1)).toEqual({ ...document, dryRun: false, partly: true, make: true, tenantId }));
});

it('shows a difference line by line, with names in place of ids', async () => {
  const id = '0197f000-0000-7000-8000-00000000000b';
  const action = { ActionDefinitionId: 'unit', Parameters: { SeverityId: 'Sev2' } };
  const fields = [
    { field: 'matchActions', before: [action], after: [{ ...action, Parameters: { SeverityId: 'Sev2', ProtocolId: id } }] },
    { field: 'protocolId', before: null, after: id },
  ];
  const change = { resource: 'rules', verb: 'change', name: 'Hot', key: 'r1', at: 'rules[0]', fields };
  await open({ 'POST /v1/configuration': { ...outcome, changes: [change], names: { [id]: 'Page the desk' } } });
  await choose(JSON.stringify(document));
  const changed = await screen.findByRole('region', { name: 'Rules' });
  const rows = within(changed).getAllByRole('row');
  expect(rows.map((row) => row.textContent)).toEqual([
    'FieldBeforeAfter',
    'Match actions1 Parameters ProtocolId—Page the desk',
    'Protocol—Page the desk',
  ]);
});

it('compares again for the tenants of the file, and says all reasons of a refusal', async () => {
  const { calls } = await open({
    importConfiguration: refused(400, 'Please check the marked fields.', [
      { target: 'rules[0].name', message: 'rules[0]: Name is required.' },
      { target: 'rules[1].name', message: 'rules[1]: Name is required.' },
    ]),
  });
  await choose(JSON.stringify(document));
  const alert = await screen.findByRole('alert');
  for (const text of ['rules[0]: Name is required.', 'rules[1]: Name is required.']) expect(alert.textContent).toContain(text);
  expect(screen.queryByRole('button', { name: 'Apply' })).toBeNull();
  fireEvent.click(screen.getByLabelText(/^Into this tenant/));
  await waitFor(() => expect(sent(calls).at(-1)).toEqual({ ...document, dryRun: true, partly: true }));
});

it('says what files of another product contain and what has no counterpart, then imports what they become', async () => {
  const without = [{ name: 'Integration Prometheus', reason: 'add-source', detail: 'Prometheus', text: 'Add a source.' }];
  const counts = [
    { kind: 'schedules', count: 3 },
    { kind: 'users', count: 1 },
  ];
  const { calls } = await open({ 'POST /v1/configuration/convert': { product: 'Opsgenie', counts, document, without } });
  const files = ['schedules.json', 'users.json'].map((name) => new File(['{"data":[]}'], name));
  fireEvent.change(await screen.findByLabelText('File'), { target: { files } });
  await screen.findByText('Opsgenie: 3 schedules, 1 user.');
  const report = screen.getByRole('region', { name: 'Without counterpart (1)' });
  expect(report.textContent).toContain('Integration Prometheus: It sends alerts with an address of its own (Prometheus).');
  await screen.findByText('1 added, 1 changed, 3 unchanged.');
  expect(calls.find(({ path }) => path === '/v1/configuration/convert')?.body).toEqual({
    tenantId,
    files: files.map(({ name }) => ({ name, text: '{"data":[]}' })),
  });
  expect(sent(calls)).toEqual([{ ...document, dryRun: true, partly: true, tenantId }]);
});

it('says why a file cannot be read', async () => {
  const message = 'configuration.json is not JSON.';
  const { calls } = await open({ 'POST /v1/configuration/convert': refused(400, message) });
  await choose('violet');
  await screen.findByText(new RegExp(message));
  expect(sent(calls)).toEqual([]);
});

it('switches features, and shows the settings of the installation with their source', async () => {
  const { calls } = await open();
  fireEvent.click(await screen.findByRole('switch', { name: 'Access requests' }));
  await screen.findByText('Access requests is on now.');
  expect(calls.find((call) => call.path === '/v1/features/f1')?.body).toEqual({ enabled: true });
  const row = (await screen.findByText('SMTP_URL')).closest('tr');
  expect(row?.textContent).toContain('smtp://***@mail.example.com:25Environment');
  expect(screen.getByText('PUBLIC_URL').closest('tr')?.textContent).toContain('not setDefault');
});

it('has no settings of the installation for people of one tenant', async () => {
  await open({ installationSettings: refused(403, 'No.') });
  await screen.findByRole('region', { name: 'Features' });
  expect(screen.queryByRole('region', { name: 'Settings of the installation' })).toBeNull();
});
