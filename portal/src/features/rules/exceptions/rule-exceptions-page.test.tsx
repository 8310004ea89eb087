import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId, type ApiCall } from '../../../testing/render-app.tsx';

const ruleId = '01a1fcdb-e331-70c1-ba47-000000000401';
const ruleExceptionId = '01a1fcdb-e331-70c1-ba47-000000000402';
const tagId = '01a1fcdb-e331-70c1-ba47-000000000403';
const deviceId = '01a1fcdb-e331-70c1-ba47-000000000404';
const rule = {
  ruleId,
  name: 'Hot',
  enabled: true,
  ruleTypeId: 1,
  tenantId: null,
  tenantGroupId: null,
  matchLifetime: '00:05:00',
  conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
  matchActions: [],
  expirationActions: [],
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
};
const exception = {
  ruleExceptionId,
  ruleId,
  appliesTo: 'Tenant',
  tenantId,
  tenantGroupId: null,
  subscriptionId: null,
  locationId: null,
  tag: null,
  entityName: null,
  deviceId: null,
  isOff: false,
  ownValues: { '62 Cpu 3': '95' },
  matchLifetime: null,
  severityId: null,
  rank: 100,
  until: null,
  reason: 'Old hardware',
  created: '2026-01-01T00:00:00.000Z',
  createdBy: 'ada@example.com',
  modified: '2026-01-01T00:00:00.000Z',
  modifiedBy: 'ada@example.com',
  tenant: { tenantId, name: 'Northwind Energy' },
  rule,
};
const ofTag = {
  ...exception,
  ruleExceptionId: tagId,
  appliesTo: 'Tag',
  tenantId: null,
  tenant: null,
  tag: 'build',
  ownValues: { '62 Cpu 3': '98' },
};

const previewed = { previewRuleException: { devices: 1, first: [{ id: deviceId, name: 'render-11', tenantId }], yieldsTo: [] } };

beforeEach(() => localStorage.clear());

it('says what holds at a tenant, and changes its own values in place', async () => {
  const { calls } = await renderApp(`/${tenantId}/ruleexceptions?id=${ruleExceptionId}`, {
    ...previewed,
    'GET /v1/ruleExceptions': list([exception]),
    [`GET /v1/ruleExceptions(${ruleExceptionId})`]: exception,
    [`GET /v1/rules(${ruleId})`]: rule,
    [`POST /v1/ruleExceptions/${ruleExceptionId}`]: exception,
  });
  const input = await screen.findByLabelText<HTMLInputElement>('Metric Cpu > 90');
  expect(input.value).toBe('95');
  expect((await screen.findAllByText(/Metric Cpu > 95/)).length).toBeGreaterThan(0);
  fireEvent.change(input, { target: { value: '97' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => {
    const saved = calls.find(({ method, path }) => method === 'POST' && path === `/v1/ruleExceptions/${ruleExceptionId}`);
    expect(saved?.body).toEqual({ ownValues: { '62 Cpu 3': '97' } });
  });
});

it('asks for what it is for only, and sends nothing of the other places', async () => {
  const { calls } = await renderApp(`/${tenantId}/ruleexceptions?id=new&f.ruleId=${ruleId}`, {
    ...previewed,
    'GET /v1/ruleExceptions': list([]),
    'PUT /v1/ruleExceptions': ofTag,
    [`GET /v1/rules(${ruleId})`]: rule,
  });
  // The form is another one once the permissions of the person are there.
  const panel = () => within(screen.getByRole('dialog', { name: 'Create Rule Exception' }));
  await waitFor(() => expect(panel().getByRole('button', { name: 'Create' })).toBeTruthy());
  const form = panel();
  expect(form.queryByLabelText('Tag')).toBeNull();
  const kind = form.getByRole<HTMLSelectElement>('combobox', { name: /^For/ });
  await waitFor(() => expect(kind.disabled).toBe(false));
  fireEvent.change(kind, { target: { value: 'Tag' } });
  fireEvent.change(await form.findByLabelText('Tag'), { target: { value: 'build' } });
  expect(form.queryByLabelText('Device')).toBeNull();
  fireEvent.change(await form.findByLabelText('Metric Cpu > 90'), { target: { value: '98' } });
  fireEvent.change(form.getByLabelText(/^Reason/), { target: { value: 'Builds' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() => {
    const body = calls.find(({ method, path }) => method === 'PUT' && path === '/v1/ruleExceptions')?.body as Record<string, unknown>;
    expect(body).toMatchObject({ ruleId, appliesTo: 'Tag', tag: 'build', ownValues: { '62 Cpu 3': '98' } });
    const others = ['deviceId', 'locationId', 'subscriptionId', 'entityName', 'tenantGroupId'];
    expect(others.filter((name) => (body[name] ?? null) !== null)).toEqual([]);
  });
});

it('lists the exceptions on the rule, the one that wins first, and saves a value when its cell is left', async () => {
  const { calls } = await renderApp(`/${tenantId}/rules?id=${ruleId}`, {
    'GET /v1/rules': list([rule]),
    [`GET /v1/rules(${ruleId})`]: rule,
    'GET /v1/ruleExceptions': ({ query }: ApiCall) => {
      const filter = query.get('$filter') ?? '';
      if (filter.includes("appliesTo eq 'Tenant'")) return list([exception]);
      return { '@odata.count': filter.includes('until') ? 5 : 2, value: [exception, ofTag] };
    },
    [`POST /v1/ruleExceptions/${tagId}`]: ofTag,
  });
  const fold = await screen.findByText('2 exceptions');
  // The sentence names those that hold, of which the second answer has three more than it shows.
  expect(screen.getByText(/Otherwise for: Tag build; Tenant Northwind Energy; and 3 more\.$/)).toBeTruthy();
  const details = fold.closest('details') as HTMLDetailsElement;
  details.open = true;
  fireEvent(details, new Event('toggle'));
  const table = within(await within(details).findByRole('table'));
  const names = table.getAllByRole('rowheader').map(({ textContent }) => textContent);
  expect(names.map((name) => name.slice(0, 9))).toEqual(['Tag build', 'Tenant No']);
  const cell = table.getByLabelText<HTMLInputElement>('Tag build: Metric Cpu > 90');
  fireEvent.change(cell, { target: { value: '99' } });
  fireEvent.keyDown(cell, { key: 'Escape' });
  expect(cell.value).toBe('98');
  fireEvent.change(cell, { target: { value: '' } });
  fireEvent.blur(cell);
  await waitFor(() => {
    const saved = calls.filter(({ method, path }) => method === 'POST' && path === `/v1/ruleExceptions/${tagId}`);
    expect(saved.map(({ body }) => body)).toEqual([{ ownValues: null }]);
  });
  // The end is set there too, in the time of the person.
  const until = table.getByLabelText<HTMLInputElement>('Tag build: Until');
  fireEvent.change(until, { target: { value: '2030-01-02T03:04:00' } });
  fireEvent.blur(until);
  await waitFor(() =>
    expect(calls.filter(({ path }) => path === `/v1/ruleExceptions/${tagId}`).at(-1)?.body).toEqual({
      until: new Date('2030-01-02T03:04:00').toISOString(),
    }),
  );
});

it('says on the page of a tenant what it has otherwise and what has ended, and changes it there', async () => {
  const { ruleExceptionId: id, reason, modifiedBy, ownValues } = exception;
  const rest = { target: null, matchLifetime: null, severityId: null, until: null, isOff: false };
  const there = { ruleExceptionId: id, appliesTo: 'Tenant' as const, reason, modifiedBy, ownValues, ...rest };
  const constants = [{ key: '62 Cpu 3', condition: 'Metric Cpu > 90', value: '90' }];
  const line = {
    ruleId,
    name: 'Hot',
    isInherited: true,
    conditions: 'Metric Cpu > 95',
    constants,
    exception: there,
    others: [],
    ended: [],
  };
  const ended = [{ ...there, ruleExceptionId: tagId, isOff: true, until: '2026-01-02T00:00:00.000Z' }];
  const { calls } = await renderApp(`/${tenantId}/tenants?id=${tenantId}&tab=rules`, {
    [`GET /v1/tenants(${tenantId})`]: { tenantId, name: 'Northwind Energy', enabled: true },
    rulesOfTenant: { rules: [line, { ...line, ruleId: tagId, name: 'Full', exception: null, ended }], leftOut: 0 },
    [`POST /v1/ruleExceptions/${id}`]: exception,
  });
  const rowOf = async (name: string) => within((await screen.findByRole('link', { name })).closest('tr') as HTMLElement);
  const hot = await rowOf('Hot');
  const ownCell = await hot.findByLabelText<HTMLInputElement>('Hot: Metric Cpu > 90');
  expect([ownCell.value, ownCell.placeholder]).toEqual(['95', '90']);
  fireEvent.change(ownCell, { target: { value: '97' } });
  fireEvent.keyDown(ownCell, { key: 'Enter' });
  await waitFor(() =>
    expect(calls.filter(({ path }) => path === `/v1/ruleExceptions/${id}`).map(({ body }) => body)).toEqual([
      { ownValues: { '62 Cpu 3': '97' } },
    ]),
  );
  const full = await rowOf('Full');
  expect(full.getByText('As for all')).toBeTruthy();
  expect(full.getByRole('link', { name: /^Tenant: ended / }).getAttribute('href')).toContain(tagId);
  expect(full.getByRole('link', { name: 'Add exception' }).getAttribute('href')).toContain(`f.ruleId=${tagId}`);
});

it('says on a device which exception holds, by whom, and which ones yield', async () => {
  const { ruleExceptionId: id, reason, modifiedBy } = exception;
  const rest = { target: null, ownValues: null, matchLifetime: null, severityId: null, until: null, isOff: true };
  const there = { ruleExceptionId: id, appliesTo: 'Device' as const, reason, modifiedBy, ...rest };
  await renderApp(`/${tenantId}/devices?id=${deviceId}&tab=rules`, {
    [`GET /v1/devices(${deviceId})`]: { deviceId, name: 'render-11', tenantId, subscriptionId: null, enabled: true },
    exceptionsOfDevice: {
      rules: [
        {
          ruleId,
          name: 'Hot',
          isInherited: true,
          conditions: 'Metric Cpu > 90',
          exception: there,
          constants: [],
          ended: [],
          others: [{ ...there, appliesTo: 'Tag' as const, target: 'build', isOff: false }],
        },
      ],
    },
  });
  const row = within((await screen.findByRole('link', { name: 'Hot' })).closest('tr') as HTMLElement);
  expect(row.getByText('Switched off')).toBeTruthy();
  expect(row.getByText('Also: Tag build')).toBeTruthy();
  expect(row.getByText('ada@example.com')).toBeTruthy();
});
