/** Access of a person, invitations and grants on the screen. */
import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepDraft } from '../../drafts/stored-draft.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const [reader, operator] = ['01a1fcdb-e331-70c1-ba47-0000000000a1', '01a1fcdb-e331-70c1-ba47-0000000000a2'];
const beyond = 'You cannot give permissions that you do not hold: CloudFit.CFS.Tokens:view.';
const ruth = {
  personId: '01a1fcdb-e331-70c1-ba47-000000000301',
  name: 'Ruth Adeyemi',
  userName: 'ruth@corp.example',
  email: 'ruth@corp.example',
  emailVerified: true,
  enabled: true,
  secondFactor: 'None',
  lastSignIn: null,
  grants: [{ tenantId }],
};
const ownGrant = {
  grantId: '01a1fcdb-e331-70c1-ba47-000000000501',
  claim: null,
  tenantId,
  tenantName: 'Northwind Energy',
  isOpen: true,
  permissionSetId: reader,
  permissionSet: 'Reader',
  created: '2026-11-20T10:00:00Z',
  problem: null,
};
const byGroup = {
  ...ownGrant,
  grantId: '01a1fcdb-e331-70c1-ba47-000000000502',
  claim: 'ops',
  permissionSet: 'Administrator',
  problem: beyond,
};
const answers: Answers = {
  'GET /v1/people': list([ruth]),
  [`GET /v1/people(${ruth.personId})`]: ruth,
  [`GET /v1/people/${ruth.personId}/access`]: { grants: [ownGrant, byGroup], groups: ['ops'] },
  'GET /v1/permissionSets/choices': [
    { permissionSetId: reader, name: 'Reader', description: 'Sees everything.', problem: null },
    { permissionSetId: operator, name: 'Operator', description: 'Runs devices.', problem: null },
    { permissionSetId: 'x', name: 'Administrator', description: 'Everything.', problem: beyond },
  ],
  'PUT /v1/grants': {},
  [`PUT /v1/grants/${ownGrant.grantId}/permissionSet`]: {},
  [`DELETE /v1/grants/${ownGrant.grantId}`]: new Response(null, { status: 204 }),
  'POST /v1/people/invite': {},
};
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
const open = (query: string, more: Answers = {}) => renderApp(`/${tenantId}/people?${query}`, { ...answers, ...more });
const openAccess = async () => {
  const app = await open(`id=${ruth.personId}&tab=access`);
  return { ...app, has: within(await screen.findByRole('region', { name: 'What this person has' })) };
};

describe('the access of a person', () => {
  it('lists what the person has and by which group, and says why something cannot be ended', async () => {
    const { has } = await openAccess();
    const [first, second] = await has.findAllByRole('listitem');
    expect(first?.textContent).toContain('Reader Northwind Energy');
    expect(second?.textContent).toContain('Group ops');
    expect(second?.textContent).toContain(beyond);
    expect(within(second as HTMLElement).queryByRole('button')).toBeNull();
  });

  it('gives a set in the tenant of the address; one that may not be given cannot be chosen and says why', async () => {
    const { calls } = await openAccess();
    const give = within(await screen.findByRole('region', { name: 'Give access' }));
    const administrator = await give.findByRole<HTMLInputElement>('radio', { name: /Administrator/ });
    expect(administrator.disabled).toBe(true);
    expect(give.getByText(beyond)).toBeTruthy();
    fireEvent.click(give.getByRole('button', { name: 'Give access' }));
    await give.findByText('Please choose a permission set.');
    fireEvent.click(give.getByRole('radio', { name: /Reader/ }));
    fireEvent.click(give.getByRole('button', { name: 'Give access' }));
    await screen.findByText('Ruth Adeyemi has Reader now.');
    expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({ tenantId, permissionSetId: reader, personId: ruth.personId });
  });

  it('gives it to a group of the person, and in all tenants', async () => {
    const { calls } = await openAccess();
    const give = within(await screen.findByRole('region', { name: 'Give access' }));
    fireEvent.change(give.getByLabelText('To'), { target: { value: 'ops' } });
    const tenant = await give.findByRole('combobox', { name: 'Tenant' });
    fireEvent.focus(tenant);
    fireEvent.change(tenant, { target: { value: 'All' } });
    fireEvent.click(await screen.findByRole('option', { name: 'All tenants' }));
    fireEvent.click(await give.findByRole('radio', { name: /Operator/ }));
    fireEvent.click(give.getByRole('button', { name: 'Give access' }));
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({ tenantId: null, permissionSetId: operator, claim: 'ops' }),
    );
  });

  it('changes the set in one step, and ends access after a confirmation', async () => {
    const { calls, has } = await openAccess();
    fireEvent.click(await has.findByRole('button', { name: 'Change Reader in Northwind Energy' }));
    fireEvent.click(await has.findByRole('radio', { name: /Operator/ }));
    await waitFor(() => expect(calls.find((call) => call.path.endsWith('/permissionSet'))?.body).toEqual({ permissionSetId: operator }));
    fireEvent.click(has.getByRole('button', { name: 'End Reader in Northwind Energy' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'End this access?' }));
    expect(calls.some((call) => call.method === 'DELETE')).toBe(false);
    fireEvent.click(dialog.getByRole('button', { name: 'End' }));
    await waitFor(() => expect(calls.some((call) => call.method === 'DELETE' && call.path.endsWith(ownGrant.grantId))).toBe(true));
  });
});

describe('why a person may or may not', () => {
  const answer = {
    person: { name: 'Ruth Adeyemi', userName: 'ruth@corp.example', enabled: true, groups: [] },
    subject: 'CloudFit.CFS.Rules:view',
    tenantId,
    tenantName: 'Northwind Energy',
    isAllowed: false,
    obstacle: null,
    permissions: [{ permission: 'CloudFit.CFS.Rules:view', grants: [] }],
    sets: ['Reader', 'Operator'],
    askedPeople: [{ name: 'Ada Moreno', userName: 'ada@corp.example' }],
  };
  const why = `GET /v1/people/${ruth.personId}/why`;

  it('is answered for a screen: what is missing, which sets have it, and who can give it', async () => {
    const { calls } = await open(`id=${ruth.personId}&tab=why`, { [why]: answer });
    fireEvent.change(await screen.findByLabelText('Screen'), { target: { value: 'rules' } });
    fireEvent.click(screen.getByRole('button', { name: 'Explain' }));
    await screen.findByText('Ruth Adeyemi may not: CloudFit.CFS.Rules:view in Northwind Energy.');
    screen.getByText('Permission sets that have it: Reader, Operator.');
    screen.getByText('Ada Moreno can give it.');
    const query = calls.find((call) => call.path.endsWith('/why'))?.query;
    expect(Object.fromEntries(query ?? [])).toEqual({ permission: 'CloudFit.CFS.Rules:view', tenantId });
  });

  it('is answered for a call and for a row, with the grant that gives it', async () => {
    const grants = [{ permissionSet: 'Reader', claim: 'ops', tenantName: 'Northwind Energy' }];
    const { calls } = await open(`id=${ruth.personId}&tab=why`, {
      [why]: { ...answer, isAllowed: true, permissions: [{ permission: 'CloudFit.CFS.Rules:view', grants }] },
    });
    fireEvent.change(await screen.findByLabelText('About'), { target: { value: 'call' } });
    fireEvent.change(screen.getByLabelText(/^Call/), { target: { value: 'GET /v1/rules' } });
    fireEvent.click(screen.getByRole('button', { name: 'Explain' }));
    await screen.findByText('Reader, the group ops, in Northwind Energy');
    expect(calls.find((call) => call.path.endsWith('/why'))?.query.get('call')).toBe('GET /v1/rules');
    fireEvent.change(screen.getByLabelText('About'), { target: { value: 'row' } });
    fireEvent.change(screen.getByLabelText('Entity'), { target: { value: 'rules' } });
    fireEvent.change(screen.getByLabelText(/^Key of the row/), { target: { value: ' 17 ' } });
    fireEvent.change(screen.getByLabelText('To'), { target: { value: 'edit' } });
    fireEvent.click(screen.getByRole('button', { name: 'Explain' }));
    await waitFor(() =>
      expect(Object.fromEntries(calls.findLast((call) => call.path.endsWith('/why'))?.query ?? [])).toEqual({
        entity: 'rules',
        key: '17',
        verb: 'edit',
      }),
    );
  });

  it('is said where access is denied: who one is, what is missing, whom to ask', async () => {
    await renderApp(`/${tenantId}/rules`, {
      'GET /v1/permissions': ['CloudFit.CFS.Devices:view'],
      'GET /v1/currentUser/why': answer,
    });
    await screen.findByText(
      /You are signed in as Mara Okafor \(mara@northwind.example\)\. What is missing: CloudFit\.CFS\.Rules:view\. Ask Ada Moreno/,
    );
  });
});

describe('an invitation', () => {
  it('is sent with address, name and permission set, and says what is missing', async () => {
    const { calls } = await open('');
    fireEvent.click(await screen.findByRole('button', { name: 'Invite' }));
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    expect(document.activeElement).toBe(panel.getByLabelText(/^Email/));
    fireEvent.click(panel.getByRole('button', { name: 'Send invitation' }));
    for (const text of ['Please enter one email address.', 'Please enter a name.', 'Please choose a permission set.'])
      await panel.findByText(text);
    fireEvent.change(panel.getByLabelText(/^Email/), { target: { value: 'carl@corp.example' } });
    fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Carl' } });
    fireEvent.click(await panel.findByRole('radio', { name: /Reader/ }));
    fireEvent.click(panel.getByRole('button', { name: 'Send invitation' }));
    await screen.findByText('The invitation to carl@corp.example is on its way.');
    expect(calls.find((call) => call.path === '/v1/people/invite')?.body).toEqual({
      email: 'carl@corp.example',
      name: 'Carl',
      permissionSetId: reader,
      tenantId,
    });
    expect(screen.queryByRole('dialog', { name: 'Invite somebody' })).toBeNull();
  });

  it('gives further sets by the same link, and one in all tenants except some', async () => {
    const { calls } = await open('invite=new', { 'GET /api/generallookup/tenants': [{ tenantId, name: 'In home' }] });
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    fireEvent.change(panel.getByLabelText(/^Email/), { target: { value: 'carl@corp.example' } });
    fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Carl' } });
    fireEvent.click(await panel.findByRole('radio', { name: /Reader/ }));
    expect(panel.queryByLabelText('Except in')).toBeNull();
    fireEvent.click(panel.getByRole('button', { name: 'Add another set' }));
    const further = within(panel.getByRole('group', { name: 'Set 2' }));
    const choose = async (label: string, name: string) => {
      const box = await further.findByRole('combobox', { name: label });
      fireEvent.focus(box);
      fireEvent.change(box, { target: { value: name } });
      fireEvent.click(await screen.findByRole('option', { name }));
    };
    await choose('Tenant', 'All tenants');
    await choose('Except in', 'In home');
    further.getByRole('button', { name: 'Give it in In home too' });
    fireEvent.click(await further.findByRole('radio', { name: /Reader/ }));
    fireEvent.click(panel.getByRole('button', { name: 'Send invitation' }));
    await screen.findByText('The invitation to carl@corp.example is on its way.');
    expect(calls.find((call) => call.path === '/v1/people/invite')?.body).toEqual({
      email: 'carl@corp.example',
      name: 'Carl',
      permissionSetId: reader,
      tenantId,
      also: [{ permissionSetId: reader, tenantId: null, except: [tenantId] }],
    });
  });

  it('shows the link of an invitation once where no mail server is set', async () => {
    const link = 'http://localhost/idp/invitation/abc';
    await open('invite=new', {
      'GET /v1/invitations/state': { problem: null, byLink: true },
      'POST /v1/people/invite': { invitationId: 'i9', link },
    });
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    await panel.findByText(/^No mail server is set, so you get the link/);
    fireEvent.change(panel.getByLabelText(/^Email/), { target: { value: 'carl@example.com' } });
    fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Carl' } });
    fireEvent.click(await panel.findByRole('radio', { name: /Reader/ }));
    fireEvent.click(panel.getByRole('button', { name: 'Make the link' }));
    await screen.findByText(link);
    screen.getByText(/^Give it to carl@example\.com and to nobody else/);
    expect(document.activeElement).toBe(panel.getByRole('button', { name: /Link of the invitation/ }));
    fireEvent.click(panel.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('says before anything is sent that no mail server is set, and what to do instead', async () => {
    const problem = 'No mail server is set (SMTP_URL), so no invitation can be sent. On the server, "person add" makes a link.';
    await open('invite=new', { 'GET /v1/invitations/state': { problem } });
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    expect((await panel.findByText(problem)).role).toBe('status');
    expect(panel.getByRole<HTMLButtonElement>('button', { name: 'Send invitation' }).disabled).toBe(true);
    expect(panel.queryByText(/They get a link by mail/)).toBeNull();
  });

  it('stays open with the reason when the server refuses it', async () => {
    await open('invite=new', { 'POST /v1/people/invite': refused(409, 'No mail server is set (SMTP_URL), so no invitation can be sent.') });
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    fireEvent.change(panel.getByLabelText(/^Email/), { target: { value: 'carl@corp.example' } });
    fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Carl' } });
    fireEvent.click(await panel.findByRole('radio', { name: /Reader/ }));
    fireEvent.click(panel.getByRole('button', { name: 'Send invitation' }));
    expect((await panel.findByRole('alert')).textContent).toContain('No mail server is set');
  });

  it('asks before what was typed is closed', async () => {
    const { search } = await open('invite=new');
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    const email = panel.getByLabelText<HTMLInputElement>(/^Email/);
    fireEvent.change(email, { target: { value: 'carl@corp.example' } });
    fireEvent.click(panel.getByRole('button', { name: 'Cancel' }));
    fireEvent.click(within(await screen.findByRole('dialog', { name: 'Unsaved changes' })).getByRole('button', { name: 'No' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Unsaved changes' })).toBeNull());
    expect(email.value).toBe('carl@corp.example');
    fireEvent.click(panel.getByRole('button', { name: 'Cancel' }));
    fireEvent.click(within(await screen.findByRole('dialog', { name: 'Unsaved changes' })).getByRole('button', { name: 'Yes' }));
    await waitFor(() => expect(search().has('invite')).toBe(false));
    expect(Object.keys(sessionStorage).filter((key) => key.includes('invitation'))).toEqual([]);
  });

  it('offers the sets of the chosen tenant, and drops the set of another tenant', async () => {
    const tenants = [tenantId, 'south', 'west'].map((id) => ({ tenantId: id, name: `In ${id}` }));
    const { calls } = await open('invite=new', {
      'GET /api/generallookup/tenants': tenants,
      'GET /v1/permissionSets/choices': ({ query }: ApiCall) => [
        { permissionSetId: reader, name: `Reader of ${query.get('tenantId') ?? 'all'}`, description: '', problem: null },
      ],
    });
    const panel = within(await screen.findByRole('dialog', { name: 'Invite somebody' }));
    const choose = async (name: string) => {
      const tenant = await panel.findByRole('combobox', { name: 'Tenant' });
      fireEvent.focus(tenant);
      fireEvent.change(tenant, { target: { value: name } });
      fireEvent.click(await screen.findByRole('option', { name }));
    };
    await choose('In south');
    await panel.findByRole('radio', { name: /Reader of south/ });
    await choose('In west');
    fireEvent.click(await panel.findByRole('radio', { name: /Reader of west/ }));
    await choose('All tenants');
    expect((await panel.findByRole<HTMLInputElement>('radio', { name: /Reader of all/ })).checked).toBe(false);
    fireEvent.click(panel.getByRole('button', { name: 'Send invitation' }));
    await panel.findByText('Please choose a permission set.');
    expect(calls.some(({ path }) => path === '/v1/people/invite')).toBe(false);
  });

  it('is listed with its state, and withdrawn after a confirmation', async () => {
    const invitation = {
      invitationId: '01a1fcdb-e331-70c1-ba47-000000000601',
      email: 'carl@corp.example',
      name: 'Carl',
      tenantId,
      permissionSetId: reader,
      invitedBy: 'mara@northwind.example',
      created: '2026-11-20T10:00:00Z',
      expiresOn: '2020-11-27T10:00:00Z',
      acceptedOn: null,
      tenant: { name: 'Northwind Energy' },
      permissionSet: { name: 'Reader' },
    };
    const { calls } = await renderApp(`/${tenantId}/invitations`, {
      'GET /v1/invitations': list([
        invitation,
        { ...invitation, invitationId: 'b', email: 'dora@corp.example', acceptedOn: '2026-11-21T10:00:00Z' },
      ]),
      [`DELETE /v1/invitations/${invitation.invitationId}`]: new Response(null, { status: 204 }),
    });
    const row = within((await screen.findByText('carl@corp.example')).closest('tr') as HTMLElement);
    row.getByText('Expired');
    screen.getByText('Accepted', { selector: '.chip' });
    fireEvent.click(row.getByRole('button', { name: 'Actions for carl@corp.example' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Withdraw' }));
    fireEvent.click(await within(await screen.findByRole('dialog', { name: 'Withdraw' })).findByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(calls.some((call) => call.method === 'DELETE')).toBe(true));
  });
});

it('lists who has access, people with a link to their page and groups', async () => {
  await renderApp(`/${tenantId}/access`, {
    'GET /v1/grants': list([
      { ...ownGrant, personId: ruth.personId, person: ruth, permissionSet: { name: 'Reader' }, tenant: { name: 'Northwind Energy' } },
      { ...byGroup, personId: null, permissionSet: { name: 'Administrator' }, tenant: null },
    ]),
  });
  const link = await screen.findByRole('link', { name: 'Ruth Adeyemi' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/people?id=${ruth.personId}&tab=access`);
  expect(screen.getByText('ops').closest('td')?.textContent).toContain('group');
});

it('gives access to a person by the form of the list too, which Ctrl Enter saves', async () => {
  const { calls } = await renderApp(`/${tenantId}/access?id=new`, {
    'GET /v1/grants': list([]),
    'GET /v1/people': list([ruth]),
    'GET /v1/permissionSets': list([{ permissionSetId: operator, name: 'Operator', permissions: [] }]),
    'PUT /v1/grants': { ...ownGrant, personId: ruth.personId },
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Create Grant' }));
  panel.getByLabelText(/Group claim/);
  // The focus is in the first field, so that nobody gives access to a group by mistake.
  await waitFor(() => expect(document.activeElement).toBe(panel.getByLabelText(/^Person/)));
  fireEvent.change(panel.getByLabelText(/^Person/), { target: { value: 'Ruth' } });
  fireEvent.click(await screen.findByRole('option', { name: /Ruth Adeyemi/ }));
  fireEvent.change(panel.getByLabelText(/^Permission set/), { target: { value: 'Oper' } });
  fireEvent.click(await screen.findByRole('option', { name: /Operator/ }));
  fireEvent.keyDown(panel.getByLabelText(/^Permission set/), { key: 'Enter', ctrlKey: true });
  await waitFor(() =>
    expect(calls.find(({ method, path }) => method === 'PUT' && path === '/v1/grants')?.body).toMatchObject({
      personId: ruth.personId,
      permissionSetId: operator,
    }),
  );
});

it('does not give access to the person of a restored draft for another name that was typed', async () => {
  const [bruno, amara] = [
    { ...ruth, personId: '01a1fcdb-e331-70c1-ba47-000000000302', name: 'Bruno Keller' },
    { ...ruth, personId: '01a1fcdb-e331-70c1-ba47-000000000303', name: 'Amara Diallo' },
  ];
  keepDraft('mara@northwind.example', `grants.new.tenantId=${tenantId}`, {
    base: { personId: null, permissionSetId: '' },
    values: { personId: bruno.personId, permissionSetId: operator },
  });
  let answerName: (() => void) | undefined;
  const named = new Promise<void>((resolve) => {
    answerName = resolve;
  });
  const { calls } = await renderApp(`/${tenantId}/access?id=new`, {
    'GET /v1/grants': list([]),
    'GET /v1/people': async ({ query }: { query: URLSearchParams }) => {
      const filter = query.get('$filter') ?? '';
      if (!filter) return list([ruth]);
      // The name of the draft's person, which is not among the first choices, arrives last.
      if (filter.includes(bruno.personId)) await named;
      return list(
        filter.includes(bruno.personId) ? [bruno] : 'amara'.includes(/'(\w+)'/.exec(filter)?.[1]?.toLowerCase() ?? '') ? [amara] : [],
      );
    },
    'GET /v1/permissionSets': list([{ permissionSetId: operator, name: 'Operator', permissions: [] }]),
    'PUT /v1/grants': { ...ownGrant, personId: amara.personId },
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Create Grant' }));
  await panel.findByText(/unsaved change/);
  const person = panel.getByLabelText<HTMLInputElement>(/^Person/);
  // While the name loads, the field does not show the id instead.
  await waitFor(() => expect([person.value, person.placeholder]).toEqual(['', 'Loading...']));
  act(() => person.focus());
  fireEvent.change(person, { target: { value: 'Amaro' } });
  answerName?.();
  await screen.findByText('Nothing matches.');
  expect(person.value).toBe('Amaro');
  fireEvent.keyDown(person, { key: 'Enter' });
  await panel.findByText(/“Amaro” is not chosen/);
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  fireEvent.change(person, { target: { value: 'Amara' } });
  await screen.findByRole('option', { name: 'Amara Diallo' });
  fireEvent.keyDown(person, { key: 'Enter' });
  expect(person.value).toBe('Amara Diallo');
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(calls.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toMatchObject([{ personId: amara.personId }]),
  );
});

describe('the editor of permission sets', () => {
  const shipped = {
    permissionSetId: '00000000-0000-4000-8000-0000000000a2',
    name: 'Operator',
    description: 'Runs devices.',
    tenantId: null,
    tenant: null,
    permissions: ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Devices:edit'],
    requiresPasskey: false,
  };
  const nightShift = {
    ...shipped,
    permissionSetId: operator,
    name: 'Night shift',
    tenantId,
    permissions: ['CloudFit.CFS.Devices:view'],
  };
  const openSets = (query: string, more: Answers = {}) =>
    renderApp(`/${tenantId}/permissionsets${query}`, {
      'GET /v1/permissionSets': list([shipped, nightShift]),
      [`GET /v1/permissionSets(${nightShift.permissionSetId})`]: nightShift,
      [`GET /v1/permissionSets(${shipped.permissionSetId})`]: shipped,
      [`GET /v1/permissionSets/${nightShift.permissionSetId}/holders`]: { people: 3, names: ['Ruth Adeyemi'], groups: 1, tokens: 0 },
      [`GET /v1/permissionSets/${shipped.permissionSetId}/holders`]: { people: 1, names: [], groups: 0, tokens: 0 },
      [`POST /v1/permissionSets/${nightShift.permissionSetId}`]: nightShift,
      'PUT /v1/permissionSets': nightShift,
      ...more,
    });

  it('is a grid that says what a change does to how many people, and saves it', async () => {
    const { calls } = await openSets(`?id=${nightShift.permissionSetId}`);
    const panel = within(await screen.findByRole('dialog', { name: /Night shift/ }));
    await panel.findByText('3 people, 1 group', { exact: false });
    fireEvent.click(await panel.findByRole('checkbox', { name: 'View Devices' }));
    fireEvent.click(panel.getByRole('checkbox', { name: 'Create Work Units: Types' }));
    await panel.findByText('Saving gives 1 and takes away 1 permissions, for 3 people.');
    expect(panel.getByRole('checkbox', { name: 'View Devices (less)' })).toBeTruthy();
    fireEvent.click(panel.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'POST' && call.path.includes('permissionSets'))?.body).toEqual({
        permissions: ['CloudFit.CFS.WorkUnits.Types:create'],
      }),
    );
  });

  it('shows the difference to a chosen set, moves by arrow keys, and sets whole areas', async () => {
    await openSets(`?id=${nightShift.permissionSetId}`);
    const panel = within(await screen.findByRole('dialog', { name: /Night shift/ }));
    await panel.findByRole('option', { name: 'Operator' });
    fireEvent.change(panel.getByLabelText('Compare with'), { target: { value: shipped.permissionSetId } });
    await panel.findByText('0 more and 1 fewer than Operator.');
    const view = panel.getByRole('checkbox', { name: 'View Devices' });
    view.focus();
    const edit = panel.getByRole('checkbox', { name: 'Edit Devices (less)' });
    fireEvent.keyDown(view, { key: edit.closest('td')?.cellIndex === 1 ? 'ArrowLeft' : 'ArrowRight' });
    expect(document.activeElement).not.toBe(view);
    expect(document.activeElement?.getAttribute('aria-label')).toMatch(/ Devices/);
    fireEvent.click(panel.getByRole('button', { name: 'All of Devices' }));
    await panel.findByText('2 more and 0 fewer than Operator.');
  });

  it('does not offer permissions that the person does not hold, which the server would refuse', async () => {
    await openSets(`?id=${nightShift.permissionSetId}`, {
      'GET /v1/permissions': ['view', 'edit'].map((verb) => `CloudFit.CFS.People:${verb}`),
    });
    const panel = within(await screen.findByRole('dialog', { name: /Night shift/ }));
    const devices = await panel.findByRole<HTMLInputElement>('checkbox', { name: 'View Devices' });
    expect([devices.disabled, devices.title]).toEqual([true, 'You do not hold this permission, so you cannot give or take it.']);
    expect(panel.getByRole<HTMLInputElement>('checkbox', { name: 'View People' }).disabled).toBe(false);
  });

  it('shows shipped sets read-only, and copies one into a new set', async () => {
    const { calls } = await openSets(`?id=${shipped.permissionSetId}`);
    const panel = within(await screen.findByRole('dialog', { name: /Operator/ }));
    await panel.findByText('Comes with the product and stays as it is. Copy it to make a set of your own.');
    expect(panel.getByRole<HTMLInputElement>('checkbox', { name: 'View Devices' }).disabled).toBe(true);
    fireEvent.click(panel.getByRole('button', { name: 'Close' }));
    const row = within((await screen.findByText('Operator')).closest('tr') as HTMLElement);
    fireEvent.click(row.getByRole('button', { name: /Actions for/ }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Copy' }));
    const copy = within(await screen.findByRole('dialog', { name: 'Create Permission Set' }));
    expect(copy.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Copy of Operator');
    fireEvent.click(copy.getByRole('button', { name: 'Create' }));
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({
        name: 'Copy of Operator',
        tenantId,
        permissions: shipped.permissions,
      }),
    );
  });

  it('begins the next new set empty after a copy that was closed', async () => {
    await openSets('');
    const row = within((await screen.findByText('Operator')).closest('tr') as HTMLElement);
    fireEvent.click(row.getByRole('button', { name: /Actions for/ }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Copy' }));
    const copy = within(await screen.findByRole('dialog', { name: 'Create Permission Set' }));
    fireEvent.click(copy.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    fireEvent.click(screen.getByRole('button', { name: /^Create/ }));
    const fresh = within(await screen.findByRole('dialog', { name: 'Create Permission Set' }));
    expect(fresh.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('');
    expect(fresh.getAllByRole<HTMLInputElement>('checkbox').filter((element) => element.checked)).toEqual([]);
  });
});
