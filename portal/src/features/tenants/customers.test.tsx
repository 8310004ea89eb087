/** A new customer with its preview, templates, and how a customer ends. */
import '../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const templateId = '01a1fcdb-e331-70c1-ba47-00000000c001';
const setId = '01a1fcdb-e331-70c1-ba47-00000000c002';
const tenant = {
  tenantId,
  name: 'Northwind Energy',
  enabled: true,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
};
const template = {
  customerTemplateId: templateId,
  name: 'Standard',
  description: 'The usual.',
  content: {
    document: { rows: { permissionSets: [{ permissionSetId: setId, name: 'Night shift' }], locations: [{ name: 'Hall 1' }] } },
    access: [{ userName: 'ada' }],
    tokens: [{ name: 'Machines' }],
  },
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
};
const answerOf = (input: { dryRun?: unknown; name: string }) => ({
  dryRun: input.dryRun === true,
  tenantId,
  name: input.name,
  changes: [
    { resource: 'tenants', verb: 'add' as const, name: input.name, key: tenantId, fields: [] },
    { resource: 'locations', verb: 'add' as const, name: 'Hall 1', key: setId, fields: [], at: 'locations[0]' },
  ],
  names: {},
  access: [{ who: 'ada', permissionSet: 'Night shift' }],
  tokens: [{ name: 'Machines', ...(input.dryRun ? {} : { generatedToken: 'cfst_once' }) }],
  invitations: input.dryRun ? [] : [{ email: 'eva@example.org', name: 'Eva', permissionSet: 'Night shift', link: 'https://x/y' }],
  controlSets: ['Starter'],
});
const answers: Answers = {
  'GET /v1/tenants': list([tenant]),
  [`GET /v1/tenants(${tenantId})`]: tenant,
  customerTemplates: [template],
  grantChoices: [{ permissionSetId: 'a3', name: 'Reader', description: null, problem: null }],
  makeCustomer: answerOf,
};

beforeEach(() => localStorage.clear());

const open = (path: string, more: Answers = {}) => renderApp(path, { ...answers, ...more });

it('makes a customer as the preview says, without what is left out, and shows tokens once', async () => {
  const { inputsOf } = await open('/tenants?customer=new');
  const panel = within(await screen.findByRole('dialog', { name: 'New customer' }));
  await panel.findByRole('option', { name: 'Standard' });
  fireEvent.change(panel.getByLabelText('Template'), { target: { value: templateId } });
  fireEvent.click(panel.getByRole('button', { name: 'Make customer' }));
  expect(await panel.findByText('Name is required.')).toBeTruthy();
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Eastwind' } });
  fireEvent.click(panel.getByRole('button', { name: 'Add person' }));
  fireEvent.change(panel.getByLabelText('Email'), { target: { value: 'eva@example.org' } });
  fireEvent.change(panel.getByLabelText('Name of the person'), { target: { value: 'Eva' } });
  fireEvent.change(panel.getByLabelText('Permission set'), { target: { value: setId } });
  fireEvent.click(await panel.findByRole('checkbox', { name: 'Hall 1' }));
  await waitFor(() =>
    expect(inputsOf('makeCustomer').at(-1)).toEqual({
      name: 'Eastwind',
      customerTemplateId: templateId,
      dryRun: true,
      without: ['locations[0]'],
      people: [{ email: 'eva@example.org', name: 'Eva', permissionSetId: setId }],
    }),
  );
  expect(await panel.findByText(/Starter/)).toBeTruthy();
  fireEvent.click(panel.getByRole('button', { name: 'Make customer' }));
  expect(await screen.findByText('cfst_once')).toBeTruthy();
  expect(screen.getByText('https://x/y')).toBeTruthy();
  expect(inputsOf('makeCustomer').filter(({ dryRun }) => !dryRun)).toHaveLength(1);
});

it('leaves nobody out without a word, and keeps what is typed over a reload', async () => {
  sessionStorage.clear();
  const first = await open('/tenants?customer=new');
  const panel = async () => within(await screen.findByRole('dialog', { name: 'New customer' }));
  fireEvent.change((await panel()).getByLabelText(/^Name/), { target: { value: 'Eastwind' } });
  fireEvent.click((await panel()).getByRole('button', { name: 'Add person' }));
  fireEvent.change((await panel()).getByLabelText('Email'), { target: { value: 'eva' } });
  fireEvent.change((await panel()).getByLabelText('Name of the person'), { target: { value: 'Eva' } });
  fireEvent.click((await panel()).getByRole('button', { name: 'Make customer' }));
  await (await panel()).findByText(/^Permission set is required/);
  await (await panel()).findByText(/^Email is not an address/);
  expect(first.inputsOf('makeCustomer').filter(({ dryRun }) => !dryRun)).toEqual([]);
  cleanup();
  const again = await open('/tenants?customer=new');
  expect(await (await panel()).findByDisplayValue('Eva')).toBeTruthy();
  await (await panel()).findByRole('option', { name: 'Reader' });
  fireEvent.change((await panel()).getByLabelText('Email'), { target: { value: 'eva@example.org' } });
  fireEvent.change((await panel()).getByLabelText('Permission set'), { target: { value: 'a3' } });
  fireEvent.click((await panel()).getByRole('button', { name: 'Make customer' }));
  expect(await screen.findByText('cfst_once')).toBeTruthy();
  const requests = again.inputsOf('makeCustomer').filter(({ dryRun }) => !dryRun);
  expect(requests.map(({ people }) => people)).toEqual([[{ email: 'eva@example.org', name: 'Eva', permissionSetId: 'a3' }]]);
  cleanup();
  await open('/tenants?customer=new');
  expect((await panel()).getByLabelText<HTMLInputElement>(/^Name/).value).toBe('');
});

it('lists what a template contains, and makes one from a customer with what stays behind', async () => {
  const { inputsOf } = await open('/customers/templates', {
    templateFromTenant: {
      template,
      left: [{ at: 'rules[0]', resource: 'rules', name: 'Only web-01', reason: 'Names the device web-01.' }],
    },
  });
  expect(await screen.findByText(/Locations 1/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'From a customer' }));
  const panel = within(await screen.findByRole('dialog', { name: 'From a customer' }));
  const customer = panel.getByRole('combobox');
  fireEvent.change(customer, { target: { value: 'North' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Northwind Energy' }));
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Copy' } });
  fireEvent.click(panel.getByRole('button', { name: 'Make template' }));
  expect(await panel.findByText(/Names the device web-01/)).toBeTruthy();
  expect(inputsOf('templateFromTenant')).toMatchObject([{ tenantId, name: 'Copy' }]);
});

const running = {
  offboardingId: templateId,
  customerId: tenantId,
  customerName: 'Northwind Energy',
  state: 'Waiting' as const,
  deleteOn: '2026-12-24T12:00:00.000Z',
  reason: 'The contract has ended.',
  uninstalls: true,
  requestedBy: 'ada',
  steps: {
    access: { at: '2026-11-29T10:00:00.000Z', people: 1, sessions: 1, tokens: 2 },
    machines: { at: '2026-11-29T10:00:00.000Z', count: 2, names: ['db-1', 'web-01'] },
    archive: { at: '2026-11-29T10:00:00.000Z', rows: 1234, files: 3, bytes: 5_000_000, sha256: 'x', tables: {} },
  },
  problem: null,
  proof: null,
  proofDigest: null,
  proofSignature: null,
  created: '2026-11-29T10:00:00.000Z',
  modified: '2026-11-29T10:00:00.000Z',
  ended: null,
};

it('ends a customer after its name is typed', async () => {
  const { inputsOf } = await open(`/tenants?id=${tenantId}&tab=offboarding`, { offboardings: [], beginOffboarding: running });
  const panel = within(await screen.findByRole('dialog', { name: 'Edit Tenant: Northwind Energy' }));
  fireEvent.change(await panel.findByLabelText(/^Reason/), { target: { value: 'Left us' } });
  fireEvent.click(panel.getByRole('button', { name: 'Begin offboarding' }));
  fireEvent.change(panel.getByLabelText(/^Enter Northwind Energy to confirm/), { target: { value: 'Northwind Energy' } });
  expect(inputsOf('beginOffboarding')).toEqual([]);
  fireEvent.click(panel.getByRole('button', { name: 'Begin offboarding' }));
  await waitFor(() => expect(inputsOf('beginOffboarding')).toMatchObject([{ id: tenantId, name: 'Northwind Energy', reason: 'Left us' }]));
});

it('shows what each step did and what remains to do, and stops', async () => {
  const { inputsOf } = await open(`/tenants?id=${tenantId}&tab=offboarding`, {
    offboardings: [running],
    stopOffboarding: { ...running, state: 'Stopped' as const },
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Edit Tenant: Northwind Energy' }));
  expect(await panel.findByText(/1 person signed out, 2 tokens refused/)).toBeTruthy();
  expect(panel.getByText(/1,234 rows, 3 files, 5/)).toBeTruthy();
  expect(panel.getByText('still to do')).toBeTruthy();
  expect(panel.getByText(/--uninstall --purge/)).toBeTruthy();
  expect(panel.getByText('db-1, web-01')).toBeTruthy();
  fireEvent.click(panel.getByRole('button', { name: 'Stop offboarding' }));
  fireEvent.click(
    within(await screen.findByRole('dialog', { name: 'Stop offboarding' })).getByRole('button', { name: 'Stop offboarding' }),
  );
  await waitFor(() => expect(inputsOf('stopOffboarding')).toEqual([{ id: templateId }]));
});

it('moves the date of a deletion after a question, and shows the date that holds when it is not moved', async () => {
  const { inputsOf } = await open(`/tenants?id=${tenantId}&tab=offboarding`, {
    offboardings: [running],
    moveOffboarding: refused(400, 'The date is in the past.'),
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Edit Tenant: Northwind Energy' }));
  const date = await panel.findByLabelText<HTMLInputElement>(/^Delete/);
  const before = date.value;
  const moveTo = async (value: string, answer: string) => {
    fireEvent.change(date, { target: { value } });
    fireEvent.blur(date);
    const question = within(await screen.findByRole('dialog', { name: 'Move the deletion' }));
    fireEvent.click(question.getByRole('button', { name: answer }));
    await waitFor(() => expect(date.value).toBe(before));
  };
  await moveTo('2027-01-05T12:00', 'Cancel');
  expect(inputsOf('moveOffboarding')).toEqual([]);
  await moveTo('2020-01-05T12:00', 'Move the deletion');
  expect(inputsOf('moveOffboarding')).toHaveLength(1);
  await screen.findByText('The date is in the past.');
});
