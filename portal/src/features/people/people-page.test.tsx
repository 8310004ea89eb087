import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { allPermissions, permission } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const ruth = {
  personId: '01a1fcdb-e331-70c1-ba47-000000000301',
  name: 'Ruth Adeyemi',
  userName: 'u48213@corp.example',
  email: 'ruth@corp.example',
  emailVerified: true,
  enabled: true,
  secondFactor: 'PasskeyAndCode',
  lastSignIn: '2026-11-21T10:00:00Z',
  grants: [{ tenantId }],
};
const left = {
  ...ruth,
  personId: '01a1fcdb-e331-70c1-ba47-000000000302',
  name: 'Left Last Year',
  userName: 'left@corp.example',
  email: 'left@corp.example',
  emailVerified: false,
  enabled: false,
  secondFactor: 'None',
  lastSignIn: null,
  grants: [{ tenantId: null }],
};
const sessions = [
  { sessionId: 's1', signedInOn: '2026-11-22T08:00:00Z', withPasskey: true, withCode: false },
  { sessionId: 's2', signedInOn: '2026-11-22T07:00:00Z', withPasskey: false, withCode: true },
];
const answers = {
  'GET /v1/people': list([ruth, left]),
  [`GET /v1/people(${ruth.personId})`]: ruth,
  [`GET /v1/people/${ruth.personId}/sessions`]: sessions,
  [`PUT /v1/people/${ruth.personId}/sessions/end`]: { ended: 1 },
  [`PUT /v1/people/${ruth.personId}/secondFactor/remove`]: { passkeys: 1, codes: true },
  [`POST /v1/people/${ruth.personId}`]: ruth,
};

beforeEach(() => localStorage.clear());
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/people${query}`, { ...answers, ...more });
const confirmWith = async (name: string) =>
  fireEvent.click(await within(await screen.findByRole('dialog', { name: /\?$/ })).findByRole('button', { name }));
const signIns = async () => {
  fireEvent.click(await screen.findByRole('tab', { name: 'Sign-ins' }));
  return within(await screen.findByRole('region', { name: 'Where this person is signed in' }));
};

it('lists people with names, verified addresses, tenants, last sign-in, second factor and whether they are enabled', async () => {
  await open();
  const row = within((await screen.findByText('Ruth Adeyemi')).closest('tr') as HTMLElement);
  for (const text of ['u48213@corp.example', 'ruth@corp.example', 'verified', 'Northwind Energy', 'Passkey and app', 'Yes'])
    expect(row.getAllByText(text).length).toBeGreaterThan(0);
  const other = within(screen.getByText('Left Last Year').closest('tr') as HTMLElement);
  for (const text of ['not verified', 'All tenants', 'Never', 'None', 'No']) expect(other.getAllByText(text).length).toBeGreaterThan(0);
});

describe('the sign-ins of a person', () => {
  it('are listed with how each began, and end one by one', async () => {
    const { calls } = await open(`?id=${ruth.personId}`);
    const region = await signIns();
    const items = await region.findAllByRole('listitem');
    expect(items[0]?.textContent).toContain('with a passkey');
    expect(items[1]?.textContent).toContain('with a password and a code');
    fireEvent.click(within(items[1] as HTMLElement).getByRole('button', { name: /^End the sign-in of/ }));
    await screen.findByText('1 sign-in ended.');
    expect(calls.find((call) => call.path.endsWith('/sessions/end'))?.body).toEqual({ sessionId: 's2' });
  });

  it('end all together after a confirmation', async () => {
    const { inputsOf } = await open(`?id=${ruth.personId}`);
    fireEvent.click(await (await signIns()).findByRole('button', { name: 'End all' }));
    expect(inputsOf('endSessionsOfPerson')).toEqual([]);
    await confirmWith('End all');
    await waitFor(() => expect(inputsOf('endSessionsOfPerson')).toEqual([{ id: ruth.personId }]));
  });

  it('say why they cannot be shown to who has no right in all tenants', async () => {
    await open(`?id=${ruth.personId}`, {
      [`GET /v1/people/${ruth.personId}/sessions`]: refused(403, 'You do not have the permission CloudFit.CFS.People:edit.'),
    });
    await (await signIns()).findByText('You do not have the permission CloudFit.CFS.People:edit.');
  });

  it('come with the second factor, which is removed after a confirmation', async () => {
    const { calls } = await open(`?id=${ruth.personId}`);
    await signIns();
    fireEvent.click(await screen.findByRole('button', { name: 'Remove second factor' }));
    await confirmWith('Remove second factor');
    await screen.findByText('The second factor of Ruth Adeyemi was removed.');
    expect(calls.some((call) => call.method === 'PUT' && call.path.endsWith('/secondFactor/remove'))).toBe(true);
  });
});

it('disables a person after a confirmation', async () => {
  const { calls } = await open();
  const row = within((await screen.findByText('Ruth Adeyemi')).closest('tr') as HTMLElement);
  fireEvent.click(row.getByRole('button', { name: /Actions for/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await confirmWith('Disable');
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST' && call.path.endsWith(ruth.personId))?.body).toEqual({ enabled: false }),
  );
});

describe('permission sets', () => {
  const set = {
    permissionSetId: '01a1fcdb-e331-70c1-ba47-000000000401',
    name: 'Operator',
    description: 'Runs devices.',
    tenantId: null,
    tenant: null,
    permissions: ['CloudFit.CFS.Devices:view'],
    requiresPasskey: false,
  };

  it('say where a second factor is required, and what that means, and change it by a switch', async () => {
    const { calls } = await renderApp(`/${tenantId}/permissionsets`, {
      'GET /v1/permissionSets': list([set]),
      [`POST /v1/permissionSets/${set.permissionSetId}`]: { ...set, requiresPasskey: true },
    });
    const demand = await screen.findByRole<HTMLInputElement>('switch', { name: 'Operator: require a second factor' });
    expect(demand.checked).toBe(false);
    screen.getByText(/sign in with a passkey, or with a password and a code/);
    fireEvent.click(demand);
    await screen.findByText('Operator requires a second factor now.');
    expect(calls.find((call) => call.method === 'POST' && call.path.includes('permissionSets'))?.body).toEqual({ requiresPasskey: true });
  });
});

describe('who sees people and permission sets', () => {
  const labels = async (permissions: readonly string[]) => {
    await renderApp(`/${tenantId}/locations`, { 'GET /v1/permissions': permissions });
    await screen.findByRole('link', { name: 'Locations' });
    return screen.getAllByRole('link').map((link) => link.textContent);
  };

  it('are those who may edit people; the menu of others has neither', async () => {
    const all = allPermissions.filter((permission) => !permission.endsWith(':mine'));
    expect((await labels(all)).join()).toMatch(/People.*Permission Sets/);
    expect((await labels(all.filter((item) => item !== permission('People', 'edit')))).join()).not.toMatch(/People|Permission Sets/);
  });

  it('find them in the command palette by users, people and sessions', async () => {
    await renderApp(`/${tenantId}/locations`);
    await screen.findByRole('link', { name: 'Locations' });
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    const input = await screen.findByRole('combobox', { name: 'Command palette' });
    for (const word of ['users', 'people', 'sessions']) {
      fireEvent.change(input, { target: { value: word } });
      await waitFor(() => expect(screen.queryAllByRole('option')[0]?.textContent).toContain('People'));
    }
  });
});

describe('the panel of a person', () => {
  const panel = async () => within(await screen.findByRole('dialog', { name: /Ruth Adeyemi/ }));
  const posted = (calls: readonly { method: string; path: string; body: unknown }[]) =>
    calls.filter((call) => call.method === 'POST' && call.path.endsWith(ruth.personId)).map((call) => call.body);

  it('disables in one way, which asks and says what follows; the form does not', async () => {
    const { calls } = await open(`?id=${ruth.personId}`);
    const region = within(await screen.findByRole('region', { name: 'Photo and state' }));
    expect(screen.queryByLabelText('Enabled')).toBeNull();
    fireEvent.click(region.getByRole('button', { name: 'Disable' }));
    const question = await screen.findByRole('dialog', { name: 'Disable this person?' });
    expect(question.textContent).toMatch(/signed out everywhere at once\. .* and so are all tokens that Ruth Adeyemi owns/);
    expect(posted(calls)).toEqual([]);
    fireEvent.click(within(question).getByRole('button', { name: 'Disable' }));
    await waitFor(() => expect(posted(calls)).toEqual([{ enabled: false }]));
  });

  it('has one button to save at a time, and leads back to what is unsaved', async () => {
    const preferences = {
      personId: ruth.personId,
      name: ruth.name,
      phone: null,
      browsers: [],
      timeZone: 'UTC',
      steps: [],
      quietHours: [],
      urgent: [],
      digest: null,
      emailVerified: false,
    };
    await open(`?id=${ruth.personId}`, {
      [`GET /v1/people/${ruth.personId}/notificationPreferences`]: {
        ...preferences,
        isDefault: true,
        email: null,
        reach: [],
        mayEdit: true,
      },
    });
    const { getByLabelText, getByRole, findByRole, getAllByRole, queryByRole } = await panel();
    expect(getAllByRole('button', { name: /^Save/ })).toHaveLength(1);
    fireEvent.click(getByRole('tab', { name: /Notifications/i }));
    await findByRole('button', { name: /^Save/ });
    expect(getAllByRole('button', { name: /^Save/ })).toHaveLength(1);
    expect(queryByRole('button', { name: 'Unsaved changes in Person' })).toBeNull();
    fireEvent.click(getByRole('tab', { name: 'Person' }));
    fireEvent.change(getByLabelText(/^Name/), { target: { value: 'Ruth A.' } });
    fireEvent.click(getByRole('tab', { name: /Notifications/i }));
    expect(getAllByRole('button', { name: /^Save/ })).toHaveLength(1);
    fireEvent.click(getByRole('button', { name: 'Unsaved changes in Person' }));
    expect((getByLabelText(/^Name/) as HTMLInputElement).value).toBe('Ruth A.');
  });

  it('shows the photo, fetched once by an address that names it, and removes it after a confirmation', async () => {
    URL.createObjectURL = () => 'blob:ruth';
    const withPhoto = { ...ruth, photo: 'ab12', pictureProblem: 'The receiver answered 404.' };
    const image = () => new Response(new Blob(['x'], { type: 'image/png' }), { headers: { 'content-type': 'image/png' } });
    const { calls } = await open(`?id=${ruth.personId}`, {
      'GET /v1/people': list([withPhoto, left]),
      [`GET /v1/people(${ruth.personId})`]: withPhoto,
      [`GET /v1/people/${ruth.personId}/photo`]: image,
      [`DELETE /v1/people/${ruth.personId}/photo`]: new Response(null, { status: 204 }),
    });
    const region = await screen.findByRole('region', { name: 'Photo and state' });
    await waitFor(() => expect(region.querySelector('img')?.getAttribute('src')).toBe('blob:ruth'));
    expect(region.textContent).toContain('The receiver answered 404.');
    const photos = calls.filter((call) => call.path.endsWith('/photo'));
    expect(photos.map(({ path, query }) => [path, query.get('v')])).toEqual([[`/v1/people/${ruth.personId}/photo`, 'ab12']]);
    const image1 = region.querySelector('img');
    if (image1) fireEvent.error(image1);
    expect(region.querySelector('.avatar')?.textContent).toBe('RA');
    fireEvent.click(within(region).getByRole('button', { name: 'Remove photo' }));
    await confirmWith('Remove photo');
    await waitFor(() => expect(calls.some((call) => call.method === 'DELETE' && call.path.endsWith('/photo'))).toBe(true));
  });
});
