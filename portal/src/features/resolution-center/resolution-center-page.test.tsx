import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const screenIsDark = {
  workUnitId: 40,
  publicWorkUnitId: 1040,
  created: '2026-05-01T08:00:00.000Z',
  title: 'My screen is dark',
  description: 'Since this morning.',
  referenceUrl: 'https://wiki.example.com/screens',
  service: 'Workplace',
  need: 'Repair',
  stateId: 'InProgress',
  status: 'Active',
  resolution: null,
  workUnitTypeId: 3,
  workUnitCategoryId: null,
  workUnitSubcategoryId: null,
  stakeHolderFullName: 'Mara Okafor',
  stakeHolderPhoneNumber: '202-555-0143',
  stakeHolderEmailAddress: 'mara@northwind.example',
  stakeHolderExperienceScore: null,
  modified: '2026-05-01T08:00:00.000Z',
  resolved: null,
  callDue: null,
  callTaken: null,
  isAssigned: true,
  nextUpdate: null,
  tenantId,
};
const done = {
  ...screenIsDark,
  workUnitId: 41,
  publicWorkUnitId: 1041,
  title: 'Door is stuck',
  referenceUrl: 'javascript:alert(1)',
  stateId: 'Resolved',
  status: 'Done',
  resolution: 'Oiled the hinge.',
  stakeHolderExperienceScore: 'Great',
};
const note = {
  workUnitNoteId: 9,
  workUnitId: 40,
  detail: 'We look at it.',
  isFromCustomer: false,
  created: '2026-05-01T09:00:00.000Z',
  tenantId,
};

/** The list, or the requested row. */
const rows = ({ query }: { query: URLSearchParams }) => {
  const requestedId = /workUnitId eq (\d+)/.exec(query.get('$filter') ?? '')?.[1];
  return list([screenIsDark, done].filter((row) => !requestedId || row.workUnitId === Number(requestedId)));
};
const customer: Answers = {
  permissionsOfCaller: [viewMine],
  'GET /v1/workunits/rc': rows,
  'GET /v1/workunits/40/externalNotes': { value: [note, { ...note, workUnitNoteId: 8, detail: 'A **fuse** <b>blew</b>.' }] },
  'GET /v1/workunits/41/externalNotes': { value: [] },
};
const address = '/resolutioncenter';
const panelOf = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const rowOf = async (title: string) => within((await screen.findByText(title)).closest('tr') as HTMLElement);

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it.each([
  ['[RC-003]', address],
  ['[RC-004]', `/${tenantId}/resolutioncenter`],
])('%s is at %s', async (_id, at) => {
  await renderApp(at, customer);
  await screen.findByText('My screen is dark');
  expect(screen.getByRole('heading', { name: 'Resolution Center' })).toBeTruthy();
  expect(document.title).toBe('Resolution Center - CloudFit Software');
});

it('an address that names no tenant is unknown', async () => {
  await renderApp('/nowhere/resolutioncenter', customer);
  expect(await screen.findAllByText('Page Not Found')).not.toHaveLength(0);
});

it('[RC-005] [RC-006] has 50 rows per page, sorted by created descending', async () => {
  const { calls } = await renderApp(address, customer);
  await screen.findByText('My screen is dark');
  expect(screen.getByLabelText<HTMLSelectElement>(/Rows per page/, { selector: 'select' }).value).toBe('50');
  const query = calls.find((call) => call.path === '/v1/workunits/rc')?.query;
  expect([query?.get('$top'), query?.get('$orderby')]).toEqual(['50', 'created desc']);
});

it('is where people with own work units alone land, with a header of its own and no menu', async () => {
  const { router, calls } = await renderApp('/workunitsv2', { ...customer, 'GET /v1/workUnits': refused(403, 'No.') });
  await screen.findByText('My screen is dark');
  await proves('[PERM-029] they are led there', () => expect(router.state.location.pathname).toBe('/resolutioncenter'));
  await proves('[RC-002] the header says its name', () =>
    within(screen.getByRole('banner')).getByRole('heading', { name: 'Resolution Center' }),
  );
  await proves('[RC-001] there is no menu', () => expect(screen.queryByRole('navigation', { name: 'Main menu' })).toBeNull());
  expect(screen.queryByRole('link', { name: 'Go to the portal' })).toBeNull();
  fireEvent.click(screen.getByTitle('Profile'));
  expect((await screen.findAllByRole('menuitem')).map((item) => item.textContent)).toContain('Log out');
  expect(screen.queryByRole('menuitem', { name: 'Settings' })).toBeNull();
  // The page requests the list of work units, which the person may not read, and no toast reports the refusal.
  expect(calls.map((call) => call.path)).toContain('/v1/workUnits');
  expect(screen.queryByText('You do not have access to one or more requested resources')).toBeNull();
});

it('people of the desk find their way back to the portal', async () => {
  await renderApp(address, { ...customer, permissionsOfCaller: [permission('WorkUnits', 'view')] });
  expect((await screen.findByRole('link', { name: 'Go to the portal' })).getAttribute('href')).toBe('/');
  await screen.findByText('My screen is dark');
  expect(screen.queryByRole('button', { name: 'Create Request' })).toBeNull();
});

it('has the columns of a request: a link with its reference, the status, a face, a call', async () => {
  await renderApp(address, customer);
  const row = await rowOf('My screen is dark');
  const columns = ['Work Unit ID', 'Created', 'Title', 'Service', 'Need', 'Status', 'Satisfaction', 'Call Me'];
  await proves('[RC-010] these, and a hidden phone', async () => {
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual(columns);
    fireEvent.click(screen.getByRole('button', { name: 'Columns' }));
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Phone' }));
    expect(screen.getAllByRole('columnheader', { hidden: true }).map((cell) => cell.textContent)).toContain('Phone');
  });
  await proves('[RC-011] the title is a link beside its reference', () => {
    expect(row.getByRole('link', { name: /^My screen is dark/, hidden: true })).toBeTruthy();
    const reference = row.getByRole('link', { name: 'Reference of My screen is dark (opens in a new tab)', hidden: true });
    expect([reference.getAttribute('href'), reference.getAttribute('rel')]).toEqual([
      'https://wiki.example.com/screens',
      'noopener noreferrer',
    ]);
  });
  expect(row.getByText('Active')).toBeTruthy();
  expect(row.queryByRole('img', { hidden: true })).toBeNull();
  const other = await rowOf('Door is stuck');
  await proves('[RC-012] a face says the satisfaction', () => other.getByRole('img', { name: 'Great', hidden: true }));
  expect(other.getByText('Done')).toBeTruthy();
  // A `javascript:` address is not rendered as a link.
  expect(other.queryByRole('link', { name: /Reference/, hidden: true })).toBeNull();
});

it('workUnitId opens the request to read, with its notes', async () => {
  await renderApp(`${address}?workUnitId=40`, customer);
  const panel = await proves('[RC-007] opens it', () => panelOf('Request #1040: My screen is dark'));
  await proves('[RC-015] has its notes', () => panel.findByText('We look at it.'));
  await waitFor(() => expect(panel.getByText('fuse').closest('li')?.textContent).toContain('A fuse <b>blew</b>.'));
  await proves('[RC-007] only to read', () => {
    expect(panel.getByText('Since this morning.')).toBeTruthy();
    expect(panel.getAllByRole('textbox')).toEqual([panel.getByLabelText(/^Your message/)]);
    expect(panel.queryByRole('group', { name: 'How did we do?' })).toBeNull();
  });
});

it('says how the request gets on: who works on it, when news is expected, and what became of the call', async () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  let shown: object = {};
  const progress = async () => {
    await renderApp(`${address}?workUnitId=40`, { ...customer, 'GET /v1/workunits/rc': () => list([{ ...screenIsDark, ...shown }]) });
    return (await (await panelOf(/My screen is dark/)).findByRole('region', { name: 'Progress' })).textContent;
  };
  expect(await progress()).toBe(
    'ReceivedBeing worked onSolvedWe are working on your request. Somebody is assigned to it.We are next: we write here as soon as there is news.',
  );
  shown = { stateId: 'New', isAssigned: false, nextUpdate: at(30.2), callDue: at(14.2) };
  expect(await progress()).toBe(
    'ReceivedBeing worked onSolvedWe have received your request. Nobody is assigned to it yet.We expect to write again in 30 min.You asked for a call. We promised it in 14 min.',
  );
  shown = { nextUpdate: at(-1), callDue: at(-1) };
  expect(await progress()).toContain(
    'An update is due. You will hear from us soon.You asked for a call. It is late; we have been reminded.',
  );
  shown = { callDue: at(-1), callTaken: at(-2) };
  expect(await progress()).toContain('Somebody has taken your call and will ring you.');
});

it('sends a reply as it was typed, once, and shows which notes are the customer’s', async () => {
  const { calls } = await renderApp(`${address}?workUnitId=40`, {
    ...customer,
    'GET /v1/workunits/40/externalNotes': { value: [{ ...note, workUnitNoteId: 10, detail: '<b>Mine</b>', isFromCustomer: true }, note] },
    'POST /v1/workunits/rc/40/reply': screenIsDark,
  });
  const panel = await panelOf(/My screen is dark/);
  const notes = () =>
    within(panel.getByRole('region', { name: 'Notes' }))
      .getAllByRole('listitem')
      .map((item) => item.textContent);
  await panel.findByText('<b>Mine</b>');
  expect(notes()).toEqual([expect.stringMatching(/^<b>Mine<\/b>You · /), expect.stringMatching(/^We look at it\.(?!You)/)]);
  const message = () => panel.getByLabelText<HTMLTextAreaElement>(/^Your message/);
  expect(message().maxLength).toBe(4_000);
  fireEvent.change(message(), { target: { value: 'Still <dark>' } });
  const send = panel.getByRole('button', { name: 'Send' });
  fireEvent.click(send);
  fireEvent.click(send);
  await screen.findByText('Your message was sent.');
  expect(calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([{ text: 'Still <dark>' }]);
  await waitFor(() => expect(message().value).toBe(''));
});

it('[RC-007] an address of somebody else’s request, or of none, says so', async () => {
  await renderApp(`${address}?workUnitId=99`, customer);
  await screen.findByText(/Request was not found/);
  await renderApp(`${address}?workUnitId=abc`, customer);
  await screen.findByText(/Request was not found/);
});

it('[RC-019] shows the resolution when the request is done', async () => {
  await renderApp(`${address}?workUnitId=41`, customer);
  const panel = await panelOf(/Door is stuck/);
  expect(within(panel.getByRole('region', { name: 'Resolution' })).getByText('Oiled the hinge.')).toBeTruthy();
  await renderApp(`${address}?workUnitId=40`, customer);
  expect((await panelOf(/My screen is dark/)).queryByRole('region', { name: 'Resolution' })).toBeNull();
});

it('[RC-016] [RC-032] asks for a call, from the row and from the request', async () => {
  const { calls } = await renderApp(`${address}?workUnitId=40`, {
    ...customer,
    'POST /v1/workunitnotes/callme/40': { message: 'x', notified: true },
    'POST /v1/workunitnotes/callme/41': { message: 'x', notified: false },
  });
  const panel = await panelOf(/My screen is dark/);
  fireEvent.click(panel.getByRole('button', { name: 'Call me about My screen is dark' }));
  await screen.findByText('Your call back request has been received. You should receive a call within the next 15 minutes.');
  fireEvent.click((await rowOf('Door is stuck')).getByRole('button', { name: 'Call me about Door is stuck' }));
  await waitFor(() =>
    expect(calls.filter((call) => call.method === 'POST').map((call) => call.path)).toEqual([
      '/v1/workunitnotes/callme/40',
      '/v1/workunitnotes/callme/41',
    ]),
  );
  await screen.findByText(/^Your call back request has been received, but nobody could be notified by mail/);
});

it('[ERR-034] says when the call could not be asked for', async () => {
  await renderApp(address, { ...customer, 'POST /v1/workunitnotes/callme/40': refused(500, 'x') });
  fireEvent.click((await rowOf('My screen is dark')).getByRole('button', { name: /^Call me/ }));
  await screen.findByText('A problem occured making your call back request.');
});

it('[RC-008] thanks for feedback when the flag says so, until the message is closed', async () => {
  const { search } = await renderApp(`${address}?showThanksForFeedbackMessage=true`, customer);
  await screen.findByText('Thank you for your valuable feedback!');
  fireEvent.click(screen.getByRole('button', { name: 'Close this message' }));
  await waitFor(() => expect(screen.queryByText('Thank you for your valuable feedback!')).toBeNull());
  expect(search().has('showThanksForFeedbackMessage')).toBe(false);
});

it('[RC-008] [RC-012] takes feedback on a request that is done, and thanks', async () => {
  const { calls } = await renderApp(`${address}?workUnitId=41`, { ...customer, 'POST /v1/workunits/rc/41/feedback': done });
  const panel = await panelOf(/Door is stuck/);
  expect(panel.getByRole('button', { name: 'Great' }).getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(panel.getByRole('button', { name: 'Poor' }));
  await screen.findByText('Thank you for your valuable feedback!');
  expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ stakeHolderExperienceScore: 'Poor' });
});

const category = (id: string, name: string, part: Record<string, unknown> = {}) => ({
  workUnitCategoryId: id,
  name,
  tenantId,
  workUnitTypeId: 3,
  isEnabled: true,
  isVisibleInResolutionCenter: true,
  ...part,
});
const [mail, other] = ['01a1fcdb-0000-7000-8000-0000000000a1', '01a1fcdb-0000-7000-8000-0000000000a2'];
const need = '01a1fcdb-0000-7000-8000-0000000000b1';
const lookups: Answers = {
  categoryLookup: [
    category(mail, 'Mail'),
    category(other, 'Internal', { isVisibleInResolutionCenter: false }),
    category(other, 'Old', { isEnabled: false }),
    category(other, 'Elsewhere', { tenantId: other }),
  ],
  subcategoryLookup: [
    { workUnitSubcategoryId: need, workUnitCategoryId: mail, name: 'Cannot send', isEnabled: true },
    { workUnitSubcategoryId: other, workUnitCategoryId: other, name: 'Secret', isEnabled: true },
  ],
};

it('a request needs title, description and phone', async () => {
  const { calls, search } = await renderApp(address, { ...customer, ...lookups, 'PUT /v1/rc/workunits': screenIsDark });
  fireEvent.click(await screen.findByRole('button', { name: 'Create Request' }));
  await proves('[RC-009] a panel asks for it', () => panelOf('Create Request'));
  const panel = await panelOf('Create Request');
  fireEvent.click(await panel.findByRole('button', { name: 'Submit' }));
  await proves('[RC-021][RC-022] asks for the title', () => panel.findByText('Please enter a title for the Work Unit.'));
  await proves('[RC-023][RC-024] asks for the description', () => panel.getByText('Please enter a Work Unit description'));
  await proves('[RC-027][RC-028] asks for the phone', () => panel.getByText('Please enter a phone number.'));
  expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'My screen is dark' } });
  fireEvent.change(panel.getByLabelText(/^Description/), { target: { value: 'Since this morning.' } });
  fireEvent.change(panel.getByLabelText(/^Phone/), { target: { value: '202-555-0143 x12' } });
  fireEvent.change(panel.getByLabelText(/^Service/), { target: { value: mail } });
  fireEvent.change(panel.getByLabelText(/^Need/), { target: { value: need } });
  fireEvent.click(panel.getByRole('button', { name: 'Submit' }));
  await screen.findByText('Successfully created work unit.');
  await proves('[RC-014] creates it', () =>
    expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({
      title: 'My screen is dark',
      description: 'Since this morning.',
      stakeHolderPhoneNumber: '202-555-0143 x12',
      workUnitCategoryId: mail,
      workUnitSubcategoryId: need,
      tenantId,
    }),
  );
  await waitFor(() => expect(search().get('workUnitId')).toBe('40'));
});

it('counts the description up to 4000 characters and gives an example of a phone number', async () => {
  await renderApp(`${address}?workUnitId=new`, { ...customer, ...lookups });
  const panel = await panelOf('Create Request');
  const description = await panel.findByLabelText<HTMLTextAreaElement>(/^Description/);
  await proves('[RC-025] takes 4000', () => expect(description.maxLength).toBe(4_000));
  await proves('[RC-026] counts', () => {
    expect(panel.getByText('0/4000')).toBeTruthy();
    fireEvent.change(description, { target: { value: 'x'.repeat(3_200) } });
    expect(panel.getByText('3200/4000').className).toContain('near');
    fireEvent.change(description, { target: { value: 'x'.repeat(4_000) } });
    expect(panel.getByText('4000/4000').className).toContain('full');
  });
  await proves('[RC-029] gives an example', () => panel.getByText('For example 202-555-0143 or 202-555-0143 x12.'));
});

it('[RC-031] offers the categories that are visible here alone', async () => {
  await renderApp(`/${tenantId}${address}?workUnitId=new`, { ...customer, ...lookups });
  const panel = await panelOf('Create Request');
  const names = (label: RegExp) =>
    within(panel.getByLabelText(label))
      .getAllByRole('option')
      .map((option) => option.textContent);
  await waitFor(() => expect(names(/^Service/)).toEqual(['—', 'Mail']));
  expect(panel.getByLabelText<HTMLSelectElement>(/^Need/).disabled).toBe(true);
  fireEvent.change(panel.getByLabelText(/^Service/), { target: { value: mail } });
  await waitFor(() => expect(names(/^Need/)).toEqual(['—', 'Cannot send']));
});

it('[RC-030] makes the request in the tenant of the address, else in that of the person, else asks', async () => {
  const tenants = [
    { tenantId, name: 'Northwind Energy' },
    { tenantId: other, name: 'Fjord Power' },
  ];
  const nowhere = { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId: null, subscriptionId: null };
  const answers = {
    ...customer,
    ...lookups,
    tenantLookup: tenants,
    'GET /v1/currentUser': nowhere,
    'PUT /v1/rc/workunits': screenIsDark,
  };
  const fill = async () => {
    const panel = await panelOf('Create Request');
    fireEvent.change(await panel.findByLabelText(/^Title/), { target: { value: 'My screen is dark' } });
    fireEvent.change(panel.getByLabelText(/^Description/), { target: { value: 'Since this morning.' } });
    fireEvent.change(panel.getByLabelText(/^Phone/), { target: { value: '1' } });
    fireEvent.click(panel.getByRole('button', { name: 'Submit' }));
    return panel;
  };
  const inAddress = await renderApp(`/${other}${address}?workUnitId=new`, answers);
  await fill();
  await waitFor(() => expect(inAddress.calls.find((call) => call.method === 'PUT')?.body).toMatchObject({ tenantId: other }));

  const ofPerson = await renderApp(`${address}?workUnitId=new`, { ...answers, 'GET /v1/currentUser': { ...nowhere, tenantId } });
  await fill();
  await waitFor(() => expect(ofPerson.calls.find((call) => call.method === 'PUT')?.body).toMatchObject({ tenantId }));

  const open = await renderApp(`${address}?workUnitId=new`, answers);
  const panel = await fill();
  await panel.findByText('Please choose a tenant.');
  expect(open.calls.some((call) => call.method === 'PUT')).toBe(false);
});

it('[ERR-033] a failed request says so, also at the field that was refused, and keeps what was typed', async () => {
  const refusal = refused(400, 'x', [{ target: 'title', message: 'This title is taken.' }]);
  await renderApp(`${address}?workUnitId=new`, { ...customer, ...lookups, 'PUT /v1/rc/workunits': refusal });
  const panel = await panelOf('Create Request');
  fireEvent.change(await panel.findByLabelText(/^Title/), { target: { value: 'My screen is dark' } });
  fireEvent.change(panel.getByLabelText(/^Description/), { target: { value: 'Since this morning.' } });
  fireEvent.change(panel.getByLabelText(/^Phone/), { target: { value: '202-555-0143' } });
  fireEvent.click(panel.getByRole('button', { name: 'Submit' }));
  await screen.findByText('A problem occurred. Please try again.');
  panel.getByText('This title is taken.');
  expect(panel.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('My screen is dark');
  fireEvent.keyDown(document, { key: 'Escape' });
  await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  // A confirmation that stays open would cover what the next tests render.
  fireEvent.click(screen.getByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(screen.queryByText('There are unsaved changes. Are you sure you want to close?')).toBeNull());
});

it('says in the form of a request that the tenants could not be read, and reads them again', async () => {
  let isAway = true;
  const tenants = () =>
    isAway ? Response.json({ error: { code: 'X', message: 'Not now.' } }, { status: 500 }) : [{ tenantId, name: 'Northwind' }];
  await renderApp(`${address}?workUnitId=new`, { ...customer, ...lookups, 'GET /api/generallookup/tenants': tenants });
  const panel = await panelOf('Create Request');
  await panel.findAllByText('Not now.');
  isAway = false;
  fireEvent.click(panel.getByRole('button', { name: 'Try again' }));
  await screen.findByLabelText(/^Title/);
});

it('looks for news every minute, also while a request is open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true });
  try {
    const { calls } = await renderApp(`${address}?workUnitId=40`, customer);
    await screen.findByText('We look at it.');
    const reads = () => calls.filter((call) => call.path === '/v1/workunits/40/externalNotes').length;
    const before = reads();
    await vi.advanceTimersByTimeAsync(60_500);
    await waitFor(() => expect(reads()).toBeGreaterThan(before));
  } finally {
    vi.useRealTimers();
  }
});

it('says when there is nothing yet, and when the list cannot be read', async () => {
  await renderApp(address, { ...customer, 'GET /v1/workunits/rc': list([]) });
  await screen.findByText('Tell us what you need, and follow it here until it is done.');
  await renderApp(address, { ...customer, 'GET /v1/workunits/rc': refused(400, 'No.') });
  await screen.findByText('The list could not be loaded.');
});

it('offers an administrator who sees it as the person nothing that writes', async () => {
  const expires = new Date(Date.now() + 600_000).toISOString();
  sessionStorage.setItem('seeAs', JSON.stringify({ seeAsId: 's1', name: 'Mara Okafor', expires }));
  await renderApp(`${address}?workUnitId=41`, customer);
  const rating = await screen.findByRole('group', { name: /feedback|rating|how|thank/i });
  for (const button of within(rating).getAllByRole<HTMLButtonElement>('button')) expect(button.disabled).toBe(true);
  await rowOf('My screen is dark');
  expect(screen.queryAllByRole('button', { name: /call me/i })).toEqual([]);
  await renderApp(`${address}?workUnitId=40`, customer);
  await panelOf(/My screen is dark/);
  expect(screen.queryAllByRole('button', { name: /call me/i })).toEqual([]);
});
