import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-000000000601';
const directory = (over: object = {}) => ({
  directoryId: id,
  name: 'Contoso',
  prefix: 'contoso',
  kind: 'Oidc',
  enabled: true,
  allTenants: false,
  tenantIds: [tenantId],
  mailDomains: ['contoso.com'],
  issuer: 'https://login.contoso.com',
  clientId: 'cloudfit',
  scope: 'openid',
  groupsClaim: 'groups',
  hasButton: false,
  provisionedOnly: false,
  startTls: false,
  userFilter: '(uid={name})',
  secretSetOn: null,
  tokenHint: null,
  tokenExpiresOn: null,
  lastProvisioned: null,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  ...over,
});
const groups = {
  people: 2,
  value: [
    {
      group: 'Operators',
      claim: 'contoso:Operators',
      people: 2,
      grants: [{ grantId: '01a1fcdb-e331-70c1-ba47-000000000602', permissionSet: 'Operator', tenantId, tenantName: 'Northwind' }],
    },
    { group: 'Guests', claim: 'contoso:Guests', people: 0, grants: [] },
  ],
};

beforeEach(() => localStorage.clear());

const open = (query = `?id=${id}&tab=connection`, row = directory(), more: Answers = {}) =>
  renderApp(`/${tenantId}/directories${query}`, {
    'GET /v1/directories': list([row]),
    [`GET /v1/directories(${id})`]: row,
    groupsOfDirectory: groups,
    ...more,
  });
const panel = async () => within(await screen.findByRole('dialog', { name: /Contoso/ }));

it('stores the secret, tries the provider, and says what it answers', async () => {
  const { inputsOf } = await open(undefined, undefined, {
    setDirectorySecret: { directoryId: id },
    tryDirectory: { works: false, message: 'The provider names itself https://other.' },
  });
  const shown = await panel();
  expect(shown.getByText('Without a secret')).toBeTruthy();
  expect(shown.getByText(/\/idp\/directory\/callback$/)).toBeTruthy();
  fireEvent.change(shown.getByLabelText('Client secret'), { target: { value: 's3cret' } });
  fireEvent.click(shown.getByRole('button', { name: 'Store' }));
  await waitFor(() => expect(inputsOf('setDirectorySecret')).toEqual([{ id, secret: 's3cret' }]));
  // What was typed is gone.
  await waitFor(() => expect((shown.getByLabelText('Client secret') as HTMLInputElement).value).toBe(''));
  fireEvent.click(shown.getByRole('button', { name: 'Try it' }));
  expect((await shown.findByText(/names itself/)).textContent).toContain('It does not work');
});

it('shows a new token once', async () => {
  await open(undefined, undefined, {
    newDirectoryToken: { directoryId: id, generatedToken: 'cfsd_marzipan', expiresOn: '2027-01-01T00:00:00.000Z' },
  });
  const shown = await panel();
  fireEvent.click(shown.getByRole('button', { name: 'New token' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'New token' })).getByRole('button', { name: 'New token' }));
  expect(await shown.findByText('cfsd_marzipan')).toBeTruthy();
});

it('shows what each group gives, and gives more in the tenants of the directory', async () => {
  const { calls } = await open(`?id=${id}&tab=groups`, undefined, {
    grantChoices: [{ permissionSetId: 'p1', name: 'Reader', description: 'Sees.', problem: null }],
    'PUT /v1/grants': { grantId: 'g' },
  });
  const shown = await panel();
  expect(await shown.findByText('Operator in Northwind')).toBeTruthy();
  expect(shown.getByText('Gives nothing')).toBeTruthy();
  fireEvent.change(shown.getByLabelText('To'), { target: { value: 'Guests' } });
  fireEvent.click(await shown.findByLabelText(/Reader/));
  fireEvent.click(shown.getByRole('button', { name: 'Give access' }));
  const sentGrants = () => calls.filter(({ method, path }) => method === 'PUT' && path === '/v1/grants').map(({ body }) => body);
  await waitFor(() => expect(sentGrants()).toEqual([{ claim: 'contoso:Guests', tenantId, permissionSetId: 'p1' }]));
});

it('asks for what the kind of sign-in needs only', async () => {
  await open('?id=new');
  const shown = within(await screen.findByRole('dialog', { name: /Create Directory/ }));
  expect(shown.getByLabelText(/^Issuer/)).toBeTruthy();
  expect(shown.queryByLabelText(/^LDAP server/)).toBeNull();
  fireEvent.change(shown.getByLabelText(/^Sign-in/), { target: { value: 'Ldap' } });
  expect(await shown.findByLabelText(/^LDAP server/)).toBeTruthy();
  expect(shown.queryByLabelText(/^Issuer/)).toBeNull();
});
