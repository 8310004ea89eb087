import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { refused, renderApp, tenantId, type ApiCall } from '../../../testing/render-app.tsx';
import { answersFor, change, incident, loadPanel } from './panel.fixtures.ts';

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
const openUnit = (unit: object = incident, more = {}) => renderApp('/workunitsv2?workUnitId=7', answersFor(unit, more));
const openNew = async (type: number, more = {}) => {
  const app = await renderApp(`/workunitsv2?workUnitId=new&type=${type}`, answersFor(incident, more));
  await screen.findByLabelText(/^Title/);
  return app;
};
const panel = () => within(document.querySelector<HTMLElement>('.side-panel') ?? document.body);
const type = (label: RegExp, value: string) => fireEvent.change(panel().getByLabelText(label), { target: { value } });
const press = (name: string) => fireEvent.click(panel().getByText(name, { selector: '.foot button' }));
const optionsOf = (label: RegExp | string) =>
  [...panel().getByLabelText<HTMLSelectElement>(label).options].map((option) => option.textContent);

it('has the five tabs, also while nothing is saved yet', async () => {
  await openNew(1);
  await proves('[WU-053] has these tabs', () =>
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
      'Work Units',
      'Protocols',
      'Pending Actions',
      'Properties',
      'Related',
    ]),
  );
  fireEvent.click(screen.getByRole('tab', { name: 'Protocols' }));
  await proves('[WU-063] says that there are no actions', () => screen.findByText('No manual actions associated with this work unit.'));
  fireEvent.click(screen.getByRole('tab', { name: 'Properties' }));
  await proves('[WU-069] says that there are no properties', () => screen.findByText('No properties found.'));
});

describe('the assignment group', () => {
  it('asks to hand the unit back and sets it to New', async () => {
    await openUnit();
    await waitFor(() => expect(optionsOf('Assignment Group')).toContain('Databases'));
    type(/^Assignment Group/, 'Databases');
    await proves('[WU-105] asks in these words', () =>
      screen.findByText('Do you want to remove the current Assigned To and set the State to New with this Assignment Group change?'),
    );
    fireEvent.click(screen.getByRole('button', { name: 'Yes' }));
    await proves('[WU-108] says so', () => screen.findByText('Successfully set State to New and removed Assigned To.'));
    await proves('[WU-106] sets the state', () => expect(panel().getByLabelText<HTMLSelectElement>('State').value).toBe('New'));
    await proves('[WU-107] clears the assignee', () => expect(panel().getByLabelText<HTMLInputElement>('Assigned To').value).toBe(''));
    expect(panel().getByLabelText<HTMLSelectElement>('Assignment Group').value).toBe('Databases');
  });

  it('asks a New one for its assignee alone; No keeps both', async () => {
    await openUnit({ ...incident, stateId: 'New' });
    await waitFor(() => expect(optionsOf('Assignment Group')).toContain('Databases'));
    const question = 'Do you want to remove the current Assigned To with this Assignment Group change?';
    type(/^Assignment Group/, 'Databases');
    await proves('[WU-109] asks in these words', () => screen.findByText(question));
    fireEvent.click(screen.getByRole('button', { name: 'No' }));
    await waitFor(() => expect(screen.queryByText(question)).toBeNull());
    await waitFor(() => expect(panel().getByLabelText<HTMLInputElement>('Assigned To').value).toBe('Jonas Feld'));
    type(/^Assignment Group/, 'Network');
    fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
    await proves('[WU-111] says so', () => screen.findByText('Successfully removed Assigned To.'));
    await proves('[WU-110] clears the assignee', () => expect(panel().getByLabelText<HTMLInputElement>('Assigned To').value).toBe(''));
  });

  it('[WU-112] waits for a tenant', async () => {
    await openUnit({ ...incident, tenantId: '', tenant: null });
    const group = await screen.findByLabelText<HTMLSelectElement>('Assignment Group');
    expect(group.disabled).toBe(true);
    expect(group.textContent).toContain('Choose a tenant first');
  });
});

describe('a change request', () => {
  const required = [
    ['[CHG-012] asks for a tenant', /^Tenant/],
    ['[CHG-004] asks for an implementation plan', /^Implementation Plan/],
    ['[CHG-005] asks for a rollback plan', /^Rollback Plan/],
    ['[CHG-006] asks for affected resources', /^Affected Resources/],
    ['[CHG-007] asks for an environment', /^Environment/],
    ['[CHG-008] asks for expected alerts', /^Expected CFS Alerts/],
    ['[CHG-009] asks for a planned start', /^Planned Start Time/],
    ['[CHG-010] asks for a planned finish', /^Planned Finish Time/],
    ['[CHG-011] asks for approver 1', /^Approver 1/],
    ['[CHG-013] asks for a resolution', /^Resolution/],
    ['[CHG-014] asks for approver 2', /^Approver 2\*/],
  ] as const;

  it('is not sent before its plan is complete', async () => {
    const { calls } = await openNew(2);
    type(/^Title/, 'New firmware');
    await proves('[CHG-014] approver 2 is required at first', () =>
      expect(panel().getByLabelText<HTMLInputElement>('Approver 2 Required').checked).toBe(true),
    );
    fireEvent.change(panel().getByLabelText(/^Tenant/), { target: { value: '' } });
    press('Create');
    await screen.findByText(/fields need attention$/);
    for (const [requirement, label] of required)
      await proves(requirement, () => expect(panel().getByLabelText(label).getAttribute('aria-invalid')).toBe('true'));
    await waitFor(() => expect(document.activeElement).toBe(panel().getByLabelText(/^Tenant/)));
    expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  });

  it('chosen by hand in the form asks for the same, and gets its defaults', async () => {
    const { calls } = await openNew(1);
    await waitFor(() => expect(optionsOf(/^Work Unit Type/)).toContain('Change Request'));
    type(/^Work Unit Type/, '2');
    await screen.findByLabelText(/^Rollback Plan/);
    await proves('[CHG-014] approver 2 is required at first', () =>
      expect(panel().getByLabelText<HTMLInputElement>('Approver 2 Required').checked).toBe(true),
    );
    type(/^Work Unit Type/, '3');
    await waitFor(() => expect(panel().queryByLabelText(/^Rollback Plan/)).toBeNull());
    type(/^Title/, 'A laptop');
    press('Create');
    await waitFor(() => expect(calls.some((call) => call.method === 'PUT')).toBe(true));
    const body = calls.find((call) => call.method === 'PUT')?.body as object;
    expect(body).toMatchObject({ title: 'A laptop', workUnitTypeId: 3 });
    expect(body).not.toHaveProperty('rollbackPlan');
  });

  it('[CHG-015] does not end before it starts', async () => {
    const { calls } = await openUnit(change);
    await screen.findByLabelText(/^Rollback Plan/);
    type(/^Planned Finish Time/, '2026-12-01T08:00');
    press('Save');
    await proves('[CHG-016] says so', () => screen.findByText('Planned Finish Time must be equal to or greater than Planned Start Time.'));
    await proves('[CHG-017] is not saved', () => expect(calls.some((call) => call.method === 'PATCH')).toBe(false));
  });

  it('[CHG-002] shows a planned outage of former days among its properties alone', async () => {
    await renderApp('/workunitsv2?workUnitId=7&tab=properties', answersFor({ ...change, plannedOutage: true }));
    const row = (await screen.findByText('Planned Outage')).closest('div') as HTMLElement;
    within(row).getByText('Yes');
    expect(panel().queryByLabelText('Planned Outage')).toBeNull();
  });
});

describe('fields of the tenant', () => {
  const definitions = {
    tenantId,
    workUnitFieldDef1: { Name: 'Site', Type: 2, Options: 'East, West' },
    workUnitFieldDef4: { Name: 'Ticket of the carrier', Type: 1 },
  };

  it('stand in the form by their names, as a text or a choice', async () => {
    const { calls } = await openUnit(
      { ...incident, customValue1: 'North', customValue9: 'left over' },
      { [`GET /v1/tenants(${tenantId})`]: definitions },
    );
    await proves('[WU-133] have the names of the tenant', () => screen.findByLabelText('Site'));
    // Still shows the value that was saved before the options changed.
    await proves('[WU-134] have the options of the tenant', () => expect(optionsOf('Site')).toEqual(['—', 'North', 'East', 'West']));
    expect(panel().getByLabelText<HTMLInputElement>('Custom value 9').value).toBe('left over');
    expect(panel().queryByLabelText('Custom value 2')).toBeNull();
    type(/^Site/, 'West');
    type(/^Ticket of the carrier/, 'DE-4471');
    press('Save');
    await waitFor(() => expect(calls.some((call) => call.method === 'PATCH')).toBe(true));
    await proves('[WU-088] are saved with the unit', () =>
      expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual([
        { op: 'test', path: '/customValue1', value: 'North' },
        { op: 'replace', path: '/customValue1', value: 'West' },
        { op: 'test', path: '/customValue4', value: null },
        { op: 'replace', path: '/customValue4', value: 'DE-4471' },
      ]),
    );
  });
});

it('[WU-082] categories are those of the tenant and the type, subcategories those of the category', async () => {
  const category = (id: string, name: string, more: object = {}) => ({
    workUnitCategoryId: id,
    name,
    tenantId,
    workUnitTypeId: 1,
    isEnabled: true,
    ...more,
  });
  await openUnit(
    { ...incident, workUnitCategoryId: 'c1', workUnitSubcategoryId: 's1' },
    {
      categoryLookup: [
        category('c1', 'Gateways'),
        category('c2', 'Pumps'),
        category('c3', 'Old', { isEnabled: false }),
        category('c4', 'Laptops', { workUnitTypeId: 3 }),
        category('c5', 'Elsewhere', { tenantId: 'other' }),
      ],
      subcategoryLookup: [
        { workUnitSubcategoryId: 's1', name: 'Firmware', workUnitCategoryId: 'c1', isEnabled: true },
        { workUnitSubcategoryId: 's2', name: 'Seal', workUnitCategoryId: 'c2', isEnabled: true },
      ],
    },
  );
  await waitFor(() => expect(optionsOf('Category')).toEqual(['—', 'Gateways', 'Pumps']));
  await waitFor(() => expect(optionsOf('Subcategory')).toEqual(['—', 'Firmware']));
  type(/^Category/, 'c2');
  await waitFor(() => expect(optionsOf('Subcategory')).toEqual(['—', 'Seal']));
  expect(panel().getByLabelText<HTMLSelectElement>('Subcategory').value).toBe('');
  type(/^Work Unit Type/, '3');
  await waitFor(() => expect(optionsOf('Category')).toEqual(['—', 'Laptops']));
  expect(panel().getByLabelText<HTMLSelectElement>('Subcategory').disabled).toBe(true);
});

it('begins with what is done with a saved unit, shows an empty value as a dash, and gives a changed one back at Escape', async () => {
  await openUnit(incident);
  const title = await screen.findByLabelText<HTMLInputElement>(/^Title/);
  const form = title.form;
  if (!form) throw new Error('The title is in no form.');
  expect([...form.querySelectorAll('label')].at(0)?.textContent).toBe('State');
  expect(panel().getByLabelText<HTMLInputElement>('Reference URL').placeholder).toBe('—');
  type(/^Title/, 'Pump 4 stands');
  await waitFor(() => expect(title.closest('.field')?.className).toContain('changed'));
  fireEvent.keyDown(title, { key: 'Escape' });
  await waitFor(() => expect(title.value).toBe(incident.title));
  await waitFor(() => expect(title.closest('.field')?.className).not.toContain('changed'));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Discard' })).toBeNull());
  type(/^Description/, 'Since the night.');
  const description = panel().getByLabelText<HTMLTextAreaElement>('Description');
  await waitFor(() => expect(description.closest('.field')?.className).toContain('changed'));
  // Escape leaves the panel with a question, and a long text stays.
  fireEvent.keyDown(description, { key: 'Escape' });
  const question = within(await screen.findByRole('dialog', { name: 'Unsaved changes' }));
  fireEvent.click(question.getByRole('button', { name: 'No' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Unsaved changes' })).toBeNull());
  expect(description.value).toBe('Since the night.');
});

it('[WU-131] Spam shows where it is set and cannot be chosen', async () => {
  await openUnit({ ...incident, source: 'Spam' });
  await screen.findByLabelText('Source');
  const options = [...panel().getByLabelText<HTMLSelectElement>('Source').options];
  expect(options.find((option) => option.value === 'Spam')?.disabled).toBe(true);
});

it('what is refused stays as typed, and the fault stands at its field', async () => {
  await openNew(1, {
    'PUT /v1/workUnits': refused(400, 'Wrong.', [
      { target: 'referenceUrl', message: 'Reference URL must start with http:// or https://.' },
    ]),
  });
  type(/^Title/, 'Pump 4');
  fireEvent.click(screen.getByRole('tab', { name: 'Related' }));
  press('Create');
  await screen.findByText('Reference URL must start with http:// or https://.');
  expect(screen.getByRole('tab', { name: 'Work Units' }).getAttribute('aria-selected')).toBe('true');
  expect(panel().getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Pump 4');
  expect(panel().getByLabelText('Reference URL').getAttribute('aria-invalid')).toBe('true');
});

it('shows the whole text of an error at the field that gets the focus', async () => {
  const shown: Element[] = [];
  // A stub, because jsdom has no `scrollIntoView`.
  Object.assign(Element.prototype, {
    scrollIntoView(this: Element) {
      shown.push(this);
    },
  });
  try {
    await openUnit(incident);
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Reference URL' });
    fireEvent.change(field, { target: { value: 'no url' } });
    await waitFor(() => expect(field.closest('.field')?.className).toContain('changed'));
    fireEvent.submit(field.closest('form') ?? field);
    await waitFor(() => expect(shown.some((element) => element.textContent?.includes('Reference URL must start with'))).toBe(true));
    expect(document.activeElement).toBe(field);
  } finally {
    Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
  }
});

it('lists the matches that it stands for: what they share, which are open, why each', async () => {
  const one = {
    ruleMatchId: '01a1fcdb-0000-7000-8000-0000000000b1',
    tenantId,
    workUnitId: 7,
    ruleId: '01a1fcdb-0000-7000-8000-0000000000b2',
    subjectId: '01a1fcdb-0000-7000-8000-0000000000b3',
    label: 'Disk full: pump-1',
    state: 'Open',
    firstMatch: '2026-11-22T14:12:30.000Z',
    lastMatch: '2026-11-22T14:12:30.000Z',
    closed: null,
    matchCount: 1,
    kind: 'Location',
    shared: 'location Lyon Office',
    reason: null,
    isFirst: true,
    rulePacket: { Metrics: { Disk: 97 } },
    usual: [{ metric: 'Disk', value: 97, mean: 40, deviation: 5, readings: 240, weeks: 4 }],
    rule: { name: 'Disk full', conditions: [{ LeftOperand: 62, LeftOperandFieldName: 'Disk' }] },
    device: { name: 'pump-1' },
  };
  const ended = {
    ...one,
    ruleMatchId: '01a1fcdb-0000-7000-8000-0000000000b4',
    label: 'Disk full: pump-2',
    state: 'Ended',
    usual: null,
    closed: '2026-11-22T15:12:30.000Z',
  };
  await openUnit(
    { ...incident, occurrences: 2 },
    {
      'GET /v1/unitMatches': ({ query }: ApiCall) => {
        const rows = query.get('$filter')?.includes("state eq 'Open'") ? [one] : [one, ended];
        return { '@odata.count': rows.length, value: rows };
      },
    },
  );
  const region = within(await screen.findByRole('region', { name: 'Matches' }));
  region.getByText('1 open of 2');
  region.getByText('Grouped by location Lyon Office.');
  region.getByText('Disk 97 (11.4 deviations above the usual 40 ± 5) · Disk full', { selector: 'li:first-child *' });
  region.getByText('Disk 97 · Disk full', { selector: 'li:last-child *' });
  expect(region.getAllByRole('listitem').map((item) => within(item).getAllByRole('link')[0]?.textContent)).toEqual(['pump-1', 'pump-2']);
  expect(region.getAllByRole('link', { name: /^Why/ })[0]?.getAttribute('href')).toBe(`/${tenantId}/matches/${one.ruleMatchId}`);
});
