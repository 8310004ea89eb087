import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { disableDrafts, hideTitle, sortByFavorites } from '../../api/intake-settings.ts';
import { rememberTenant, toggleFavorite } from '../../api/known-tenants.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';
import { draftsOf } from './drafts.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { severityOfScope } from '@cloudfit/contract/enums.ts';

const [acme, zenith] = ['01a1fcdb-e331-70c1-ba47-000000000001', '01a1fcdb-e331-70c1-ba47-000000000002'];
const protocolId = '01a1fcdb-e331-70c1-ba47-000000000003';
const created = { workUnitId: 41, publicWorkUnitId: 1041, tenantId: acme, title: 'Mail is slow', stateId: 'New', severityId: 'Sev2' };
const answers: Answers = {
  tenantLookup: [
    { tenantId, name: 'Northwind Energy' },
    { tenantId: zenith, name: 'Zenith' },
    { tenantId: acme, name: 'Acme' },
  ],
  'GET /v1/protocols': list([{ protocolId, name: 'Call back', tenantId: null }]),
  'PUT /v1/workUnits': created,
  'GET /v1/workUnits(41)': created,
};

beforeEach(() => localStorage.clear());

const open = (address = `/${tenantId}/workunitsv2?intake=new`, more: Answers = {}) => renderApp(address, { ...answers, ...more });
async function panel(name: string | RegExp = /^Intake/) {
  await screen.findByRole('checkbox', { name: 'Spam Call' });
  return within(await screen.findByRole('dialog', { name }));
}
type Panel = Awaited<ReturnType<typeof panel>>;

const fill = (form: Panel, label: RegExp, value: string) => fireEvent.change(form.getByLabelText(label), { target: { value } });
const submit = (form: Panel) => fireEvent.click(form.getByRole('button', { name: 'Submit' }));

async function choose(form: Panel, label: RegExp, text: string) {
  const box = form.getByRole('combobox', { name: label });
  fireEvent.mouseDown(box);
  fireEvent.click(await form.findByRole('option', { name: new RegExp(text) }));
}

async function fillAll(form: Panel) {
  fill(form, /^Stakeholder phone/, '555-010-1234');
  fill(form, /^Stakeholder name/, 'Ada Byron');
  fill(form, /^Stakeholder email/, 'ada@acme.example');
  await choose(form, /^Tenant/, 'Acme');
  await choose(form, /^Protocol/, 'Call back');
  fill(form, /^Title/, 'Mail is slow');
  fill(form, /^Description/, 'Since this morning.');
  fill(form, /^Scope/, 'ManyUsers');
}

async function agree() {
  const question = within(await screen.findByRole('dialog', { name: 'Submit intake' }));
  fireEvent.click(question.getByRole('button', { name: 'Submit' }));
}

it('[WU-031] [INTK-001] the create menu opens it on the work units', async () => {
  const { search, router } = await open(`/${tenantId}/workunitsv2`);
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Intake' }));
  await screen.findByRole('dialog', { name: 'Intake' });
  expect([router.state.location.pathname, search().get('intake')]).toEqual([`/${tenantId}/workunitsv2`, 'new']);
});

it('asks, creates, leads to the unit, and says so with a link', async () => {
  const { calls, router, search } = await open();
  const form = await panel();
  await fillAll(form);
  submit(form);
  const question = within(await screen.findByRole('dialog', { name: 'Submit intake' }));
  await proves('[INTK-003] asks first', () => {
    question.getByText('Create the work unit “Mail is slow” for Acme, with severity Sev2?');
    expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  });
  fireEvent.click(question.getByRole('button', { name: 'Submit' }));
  await proves('[INTK-008] says that it is created', () => screen.findByText('New Work Unit'));
  expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({
    workUnitId: -1,
    workUnitTypeId: 1,
    isSpamCall: false,
    tenantId: acme,
    title: 'Mail is slow',
    description: 'Since this morning.',
    stateId: 'New',
    severityId: 'Sev2',
    source: 'Phone',
    protocolId,
    stakeHolderPhoneNumber: '555-010-1234',
    stakeHolderFullName: 'Ada Byron',
    stakeHolderEmailAddress: 'ada@acme.example',
  });
  await proves('[INTK-004] leads to the unit', () =>
    expect([router.state.location.pathname, search().toString()]).toEqual([`/${acme}/workunitsv2`, 'workUnitId=41']),
  );
  const link = screen.getByRole('link', { name: 'VIEW' });
  await proves('[INTK-009] links to the unit', () => expect(link.getAttribute('href')).toBe(`/${acme}/workunitsv2?workUnitId=41`));
  await router.navigate(`/${tenantId}`);
  fireEvent.click(link);
  await waitFor(() => expect(search().get('workUnitId')).toBe('41'));
  expect(router.state.location.pathname).toBe(`/${acme}/workunitsv2`);
});

it('leads to the unit and forgets its draft although the list takes long', async () => {
  draftsOf('p1').save({ title: 'Printer is out of ink', tenantId: acme });
  let isCreated = false;
  const { search } = await open(`/${tenantId}/workunitsv2?intake=0`, {
    'GET /v1/workUnits': () => (isCreated ? new Promise<Response>(() => undefined) : list([])),
    'PUT /v1/workUnits': () => {
      isCreated = true;
      return created;
    },
  });
  const form = within(await screen.findByRole('dialog', { name: 'Intake: draft 1' }));
  await fillAll(form);
  submit(form);
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Submit intake' })).getByRole('button', { name: 'Submit' }));
  await screen.findByText('New Work Unit');
  await waitFor(() => expect(search().get('workUnitId')).toBe('41'));
  expect(draftsOf('p1').list()).toEqual([]);
});

it('[INTK-003] creates nothing when the question is answered no', async () => {
  const { calls } = await open();
  const form = await panel();
  await fillAll(form);
  submit(form);
  fireEvent.click(await screen.findByRole('button', { name: 'Keep editing' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Submit intake' })).toBeNull());
  expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  expect(form.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Mail is slow');
});

it('names what is missing', async () => {
  const { calls } = await open();
  const form = await panel();
  fill(form, /^Source/, '');
  submit(form);
  for (const [requirement, text] of [
    ['[INTK-027][INTK-028] asks for the phone', 'Stakeholder phone number is required.'],
    ['[INTK-020] asks for the name', 'Stakeholder name is required.'],
    ['[INTK-021] asks for the mail', 'Stakeholder email is required.'],
    ['[INTK-019] asks for the tenant', 'Tenant is required.'],
    ['[INTK-023] asks for the protocol', 'Protocol is required.'],
    ['[INTK-018] asks for the title', 'Title is required.'],
    ['[INTK-022] asks for the description', 'Description is required.'],
    ['[INTK-024] asks for the source', 'Source is required.'],
    ['[INTK-025] asks for the scope', 'Scope is required.'],
  ] as const)
    await proves(requirement, () => form.findByText(text));
  expect(screen.queryByRole('dialog', { name: 'Submit intake' })).toBeNull();
  expect(calls.some((call) => call.method === 'PUT')).toBe(false);
});

it('[INTK-017] takes a title of 50 characters', async () => {
  await open();
  const form = await panel();
  expect(form.getByLabelText<HTMLInputElement>(/^Title/).maxLength).toBe(50);
  fill(form, /^Title/, 'x'.repeat(51));
  submit(form);
  await form.findByText('Title is at most 50 characters.');
});

it('[INTK-029] [WU-131] comes by phone unless it says otherwise, and is not chosen to be spam', async () => {
  await open();
  const source = (await panel()).getByLabelText<HTMLSelectElement>(/^Source/);
  expect(source.value).toBe('Phone');
  expect([...source.options].map((option) => option.value)).toEqual(['', 'Email', 'Phone', 'Chat', 'Other']);
});

it('[WU-095] says the severity of each scope', async () => {
  await open();
  const scope = (await panel()).getByLabelText<HTMLSelectElement>(/^Scope/);
  expect([...scope.options].map((option) => option.value).filter(Boolean)).toEqual(['SingleUser', 'SystemWide', 'ManyUsers', 'VIPUser']);
  for (const option of [...scope.options].slice(1)) expect(option.text).toContain(`(${severityOfScope(option.value)})`);
});

it('a spam call needs the phone number alone', async () => {
  const { calls } = await open(undefined, { 'PUT /v1/workUnits': { ...created, tenantId } });
  const form = await panel();
  await proves('[INTK-026] a checkbox says that it is spam', () => fireEvent.click(form.getByRole('checkbox', { name: 'Spam Call' })));
  submit(form);
  await proves('[INTK-027][INTK-028] asks for the phone alone', async () => {
    await form.findByText('Stakeholder phone number is required.');
    expect(form.queryAllByText(/is required\.$/)).toHaveLength(1);
  });
  fill(form, /^Stakeholder phone/, '555-010-9999');
  submit(form);
  await agree();
  await screen.findByText('New Work Unit');
  const sent: { [name: string]: unknown } = { ...(calls.find((call) => call.method === 'PUT')?.body as object | undefined) };
  const { stateId, source, title, severityId, ...rest } = sent;
  await proves('[INTK-030] is resolved', () => expect(stateId).toBe('Resolved'));
  await proves('[INTK-031] has the source Spam', () => expect(source).toBe('Spam'));
  await proves('[INTK-032] has this title', () => expect(title).toBe('Spam Call'));
  await proves('[INTK-033] has the lowest severity', () => expect(severityId).toBe('Sev4'));
  expect(rest).toEqual({ workUnitId: -1, workUnitTypeId: 1, isSpamCall: true, tenantId, stakeHolderPhoneNumber: '555-010-9999' });
});

it('keeps what was typed while it is looked at as spam', async () => {
  await open();
  const form = await panel();
  fill(form, /^Title/, 'Mail is slow');
  const spam = form.getByRole('checkbox', { name: 'Spam Call' });
  fireEvent.click(spam);
  expect(form.queryByLabelText(/^Title/)).toBeNull();
  fireEvent.click(spam);
  expect(form.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Mail is slow');
});

it('without a title field the first line of the description is the title', async () => {
  hideTitle.set(true);
  await proves('[SET-014] keeps the setting in the browser', () => expect(localStorage.getItem('cloudfit.intake.hideTitle')).toBe('true'));
  const { calls } = await open();
  const form = await panel();
  await proves('[INTK-034] has no title', () => expect(form.queryByLabelText(/^Title/)).toBeNull());
  fill(form, /^Description/, '\nab\nmore');
  submit(form);
  await form.findByText('The first line becomes the title: it has at least 3 characters.');
  await choose(form, /^Tenant/, 'Acme');
  await choose(form, /^Protocol/, 'Call back');
  fill(form, /^Stakeholder phone/, '555-010-1234');
  fill(form, /^Stakeholder name/, 'Ada Byron');
  fill(form, /^Stakeholder email/, 'ada@acme.example');
  fill(form, /^Description/, `  ${'Mail is slow '.repeat(6)}\nSince this morning.`);
  fill(form, /^Scope/, 'VIPUser');
  submit(form);
  await agree();
  await screen.findByText('New Work Unit');
  await proves('[INTK-035] takes the first line', () =>
    expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({
      title: 'Mail is slow Mail is slow Mail is slow Mail is slo',
      severityId: 'Sev1',
    }),
  );
});

it('[ERR-043] a failed intake says so and keeps everything', async () => {
  await open(undefined, { 'PUT /v1/workUnits': refused(400, 'x', [{ target: 'title', message: 'Please enter the title' }]) });
  const form = await panel();
  await fillAll(form);
  submit(form);
  await agree();
  await screen.findByText('A problem occurred. Please try again.');
  await form.findByText('Please enter the title');
  expect(form.getByLabelText<HTMLInputElement>(/^Stakeholder name/).value).toBe('Ada Byron');
});

it('[ERR-045] an intake without values is neither submitted nor kept', async () => {
  await open();
  const form = await panel();
  submit(form);
  await screen.findByText('No form values found!');
  fireEvent.click(form.getByRole('button', { name: 'Save as Draft' }));
  expect(draftsOf('p1').list()).toEqual([]);
  expect(screen.getAllByText('No form values found!')).toHaveLength(1);
});

it('keeps a draft, lists it with its time, and opens it again after a reload', async () => {
  const first = await open();
  const form = await panel();
  fill(form, /^Title/, 'Mail is slow');
  fill(form, /^Stakeholder phone/, '555-010-1234');
  fireEvent.click(form.getByRole('button', { name: 'Save as Draft' }));
  await screen.findByText('Draft saved.');
  expect(first.search().get('intake')).toBe('0');
  await screen.findByRole('dialog', { name: 'Intake: draft 1' });
  first.unmount();

  const { search } = await open();
  fireEvent.click((await panel()).getByRole('button', { name: /^Drafts/ }));
  const drafts = within(await proves('[INTK-002] has a dialog of drafts', () => screen.findByRole('dialog', { name: 'Drafts' })));
  await proves('[INTK-007] says when it was saved', () =>
    expect(drafts.getByRole('button', { name: /^Mail is slow/ }).textContent).toMatch(
      /Saved (just now|now|\d+ (s|min) ago), expires in 1[12] h/,
    ),
  );
  fireEvent.click(drafts.getByRole('button', { name: /^Mail is slow/ }));
  const again = await panel('Intake: draft 1');
  await proves('[INTK-006] has what was typed before the reload', () => {
    expect(again.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Mail is slow');
    expect(again.getByLabelText<HTMLInputElement>(/^Stakeholder phone/).value).toBe('555-010-1234');
  });
  expect([search().get('intake'), search().get('drafts')]).toEqual(['0', null]);
});

it('a draft that is submitted is a draft no more', async () => {
  draftsOf('p1').save({ isSpamCall: true, stakeHolderPhoneNumber: '555-010-9999' });
  await open(`/${tenantId}/workunitsv2?intake=0`);
  submit(await panel('Intake: draft 1'));
  await agree();
  await screen.findByText('New Work Unit');
  expect(draftsOf('p1').list()).toEqual([]);
});

it('[INTK-005] [ERR-044] does not keep a fifth, and deletes one after a question', async () => {
  for (const title of ['One', 'Two', 'Three', 'Four']) draftsOf('p1').save({ title });
  await open();
  const form = await panel();
  fill(form, /^Title/, 'Five');
  fireEvent.click(form.getByRole('button', { name: 'Save as Draft' }));
  await screen.findByText('You already have 4 drafts saved. Please delete or submit a draft before adding a new one.');
  expect(form.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Five');
  fireEvent.click(form.getByRole('button', { name: /^Drafts/ }));
  fireEvent.click(await screen.findByRole('button', { name: 'Delete the draft Two' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Delete draft' })).getByRole('button', { name: 'Delete' }));
  await waitFor(() =>
    expect(
      draftsOf('p1')
        .list()
        .map((draft) => draft.values['title']),
    ).toEqual(['One', 'Three', 'Four']),
  );
});

it('[INTK-016] an address with another index says so', async () => {
  await open(`/${tenantId}/workunitsv2?intake=4`);
  expect(await screen.findByText('Invalid draft index')).toBeTruthy();
});

it('says that a draft is gone', async () => {
  await open(`/${tenantId}/workunitsv2?intake=2`);
  expect(await screen.findByText('This draft is gone')).toBeTruthy();
});

it('drafts can be switched off', async () => {
  disableDrafts.set(true);
  await proves('[SET-015] keeps the setting in the browser', () =>
    expect(localStorage.getItem('cloudfit.intake.disableDrafts')).toBe('true'),
  );
  await open();
  const form = await panel();
  form.getByRole('button', { name: 'Submit' });
  await proves('[SET-006] has no drafts', () => expect(form.queryByRole('button', { name: /^Drafts/ })).toBeNull());
  await proves('[SET-007] saves none', () => expect(form.queryByRole('button', { name: 'Save as Draft' })).toBeNull());
});

it('[SET-008] [SET-016] offers favorite and recent tenants first', async () => {
  sortByFavorites.set(true);
  expect(localStorage.getItem('cloudfit.intake.sortByFavorites')).toBe('true');
  rememberTenant(tenantId);
  toggleFavorite(zenith);
  await open();
  const form = await panel();
  await waitFor(() => form.getByLabelText(/^Tenant/));
  fireEvent.mouseDown(form.getByRole('combobox', { name: /^Tenant/ }));
  await form.findByRole('option', { name: /Zenith/ });
  expect(
    form
      .getAllByRole('option')
      .filter((option) => option.closest('ul'))
      .map((option) => option.textContent),
  ).toEqual(['ZenithFavorite', 'Northwind EnergyRecent', 'Acme']);
});

it('[INTK-013] a tenant is marked as a favorite beside its name', async () => {
  await open();
  const form = await panel();
  await choose(form, /^Tenant/, 'Acme');
  const star = form.getByRole('button', { name: 'Mark Acme as a favorite' });
  expect(star.getAttribute('aria-pressed')).toBe('false');
  fireEvent.click(star);
  expect(star.getAttribute('aria-pressed')).toBe('true');
  expect(localStorage.getItem('cloudfit.tenants.favorite')).toBe(JSON.stringify([acme]));
});

it('asks before what was typed is lost', async () => {
  const { search } = await open();
  fill(await panel(), /^Title/, 'Mail is slow');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  fireEvent.click(screen.getByRole('button', { name: 'No' }));
  expect(search().get('intake')).toBe('new');
});

it('offers the titles that the tenant had lately', async () => {
  const rows = [
    { title: 'VPN drops', isSpamCall: false },
    { title: 'Spam Call', isSpamCall: true },
    { title: 'VPN drops', isSpamCall: false },
  ];
  await open(undefined, { 'GET /v1/workUnits': list(rows.map((row, at) => ({ ...created, ...row, workUnitId: at }))) });
  const form = await panel();
  await choose(form, /^Tenant/, 'Acme');
  const title = form.getByLabelText<HTMLInputElement>(/^Title/);
  await waitFor(() => expect([...(title.list?.options ?? [])].map((option) => option.value)).toEqual(['VPN drops']));
});

it('is not for people who may not create work units', async () => {
  await open(undefined, { permissionsOfCaller: ['CloudFit.CFS.WorkUnits:view'] });
  expect(await screen.findByText('You do not have access')).toBeTruthy();
});

it('recognizes who calls by phone or email, fills in what is empty, and gives the unit the usual category of the tenant', async () => {
  const unit = {
    workUnitId: 7,
    publicWorkUnitId: 1007,
    title: 'Printer smokes',
    severityId: 'Sev2' as const,
    stateId: 'New' as const,
    created: new Date().toISOString(),
  };
  const ada = {
    tenantId: acme,
    tenant: 'Acme',
    name: 'Ada Byron',
    phone: '555-010-1234',
    email: 'ada@acme.example',
    category: { id: 'c1', name: 'Mail' },
    open: [unit],
  };
  const { calls, inputsOf } = await open(undefined, {
    callersBy: { value: [ada, { ...ada, tenantId: zenith, tenant: 'Zenith', category: null, open: [] }] },
  });
  const form = await panel();
  fill(form, /^Stakeholder phone/, '55 50');
  fill(form, /^Stakeholder phone/, '5550101234');
  fill(form, /^Stakeholder name/, 'A. Byron');
  const section = within(await form.findByRole('region', { name: 'This caller has called before' }));
  // On a busy machine it also asks about what was typed before.
  expect(inputsOf('callersBy').at(-1)).toEqual({ phone: '5550101234', email: '' });
  expect(section.getByText(/Usual category: Mail/)).toBeTruthy();
  expect(
    within(section.getByRole('list', { name: 'Open work units of Ada Byron' })).getByRole('link', { name: '#1007 Printer smokes' }),
  ).toBeTruthy();
  fireEvent.click(section.getByRole('button', { name: 'Fill in Ada Byron of Acme' }));
  await section.findByText('The work unit gets the category Mail.');
  expect([/^Stakeholder name/, /^Stakeholder email/].map((label) => form.getByLabelText<HTMLInputElement>(label).value)).toEqual([
    'A. Byron',
    'ada@acme.example',
  ]);
  // Of another tenant the category does not hold.
  fireEvent.click(section.getByRole('button', { name: 'Fill in Ada Byron of Zenith' }));
  await waitFor(() => expect(section.queryByText(/gets the category/)).toBeNull());
  fireEvent.click(section.getByRole('button', { name: 'Fill in Ada Byron of Acme' }));
  await choose(form, /^Protocol/, 'Call back');
  fill(form, /^Title/, 'Mail is slow');
  fill(form, /^Description/, 'Since this morning.');
  fill(form, /^Scope/, 'ManyUsers');
  submit(form);
  await agree();
  await screen.findByText('New Work Unit');
  expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({
    tenantId: acme,
    workUnitCategoryId: 'c1',
    stakeHolderFullName: 'A. Byron',
    stakeHolderPhoneNumber: '5550101234',
    stakeHolderEmailAddress: 'ada@acme.example',
  });
});
