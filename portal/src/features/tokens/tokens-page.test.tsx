import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const token = (n: number, over: object = {}) => ({
  tokenGrantId: `01a1fcdb-e331-70c1-ba47-00000000020${n}`,
  name: `Token ${n}`,
  description: null,
  lifetimeYears: 1,
  created: '2026-01-01T00:00:00.000Z',
  expiresOn: '2999-01-01T00:00:00.000Z',
  revokedOn: null,
  lastUsed: null,
  tenantId,
  scopes: ['agent', 'ingest'],
  permissionSetId: null,
  tokenHint: 'cfst_ab…',
  networks: [],
  ownerId: null,
  ...over,
});
const rows = [
  token(1, { ownerId: 'p9' }),
  token(2, { expiresOn: null, lifetimeYears: 0 }),
  token(3, { revokedOn: '2026-02-01T00:00:00.000Z' }),
  token(4, { expiresOn: '2026-01-02T00:00:00.000Z' }),
];
const first = rows[0]?.tokenGrantId;
const generatedToken = 'cfst_violetTractorMarzipan';

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

const open = (query = '', more: Answers = {}) =>
  renderApp(`/${tenantId}/tokens${query}`, {
    'GET /v1/tokens': list(rows),
    [`GET /v1/tokens(${first})`]: rows[0],
    [`POST /v1/tokens/${first}`]: rows[0],
    'PUT /v1/tokens': { ...token(5), generatedToken },
    ...more,
  });
const sent = (calls: readonly ApiCall[], method: string) => calls.filter((call) => call.method === method);
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
const fill = (panel: Awaited<ReturnType<typeof dialog>>) => {
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Probes' } });
  fireEvent.change(panel.getByLabelText(/^Lifetime/), { target: { value: '0' } });
};

it('lists the tokens of the tenant by expiry, with their state', async () => {
  const { calls } = await open();
  const row = (name: string) => within(screen.getByRole('link', { name }).closest('tr') as HTMLElement);
  await proves('[TOK-001] the address shows the tokens', () => screen.findByRole('link', { name: 'Token 1' }));
  await proves('[TOK-002] the title names the screen', () => {
    expect(document.title).toBe('Tenant Tokens - CloudFit Software');
    screen.getByRole('table', { name: 'Tenant Tokens' });
  });
  const query = calls.find((call) => call.path === '/v1/tokens')?.query;
  await proves('[TOK-003] asks for those of the tenant', () => expect(query?.get('$filter')).toBe(`tenantId eq ${tenantId}`));
  await proves('[TOK-004] sorts them by expiry', () => expect(query?.get('$orderby')).toBe('expiresOn asc'));
  const cells = (name: string) =>
    row(name)
      .getAllByRole('cell')
      .map((cell) => cell.textContent);
  await proves('[TOK-015] a row says its state', () => {
    for (const [name, state] of Object.entries({ 'Token 1': 'Active', 'Token 2': 'Active', 'Token 3': 'Revoked', 'Token 4': 'Expired' }))
      expect([name, cells(name)[1]]).toEqual([name, state]);
  });
  await proves('[TOK-016] one may last forever', () => expect(cells('Token 2')[7]).toBe('Never'));
  await proves('[SHELL-033] the menu leads to it', () => {
    const menu = within(screen.getByRole('group', { name: 'Administration' }));
    expect(menu.getByRole('link', { name: 'Tokens' }).getAttribute('href')).toBe('/tokens');
  });
});

it('says what each token may do, and where it promotes machines', async () => {
  await open('', {
    'GET /v1/tokens': list([
      token(1, {
        permissionSetId: 'set',
        permissionSet: { name: 'Reader' },
        promoteTo: 's1',
        promotionSubscription: { name: 'Plant' },
        promoteNames: 'rack-*',
        promoteNetworks: ['192.0.2.0/24'],
      }),
      token(2, { scopes: ['ingest'], promoteNetworks: [] }),
    ]),
  });
  const cells = async (name: string) =>
    within((await screen.findByRole('link', { name })).closest('tr') as HTMLElement)
      .getAllByRole('cell')
      .slice(4, 7)
      .map((cell) => cell.textContent);
  expect(await cells('Token 1')).toEqual(['Agents, Packets', 'Reader', 'To Plant, rack-*, 192.0.2.0/24']);
  expect(await cells('Token 2')).toEqual(['Packets', '—', 'No']);
});

it('creates a token and shows it once, with a button that copies it', async () => {
  const written: string[] = [];
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void written.push(text) } });
  const { calls, router } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  await proves('[TOK-005] a panel creates', () => dialog('Create Token'));
  const panel = await dialog('Create Token');
  const chosen = panel.getByLabelText<HTMLSelectElement>(/^Lifetime/);
  expect(chosen.value).toBe('1');
  fireEvent.change(chosen, { target: { value: '' } });
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await proves('[TOK-017] asks for a name', () => panel.findByText('Name is required.'));
  await proves('[TOK-018] asks for a lifetime', () => panel.getByText('Lifetime is required.'));
  expect(sent(calls, 'PUT')).toEqual([]);
  await proves('[TOK-013] offers these lifetimes', () => {
    const lifetime = panel.getByLabelText<HTMLSelectElement>(/^Lifetime/);
    expect([...lifetime.options].map((option) => option.text)).toEqual(['', '1 year', '2 years', '3 years', 'Forever']);
  });
  fill(panel);
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));

  await proves('[TOK-014] shows what the server generated', () => screen.findByText(generatedToken));
  expect(sent(calls, 'PUT')[0]?.body).toMatchObject({ name: 'Probes', lifetimeYears: 0, tenantId, scopes: ['agent', 'ingest'] });
  const shown = within(screen.getByRole('region', { name: 'The token Token 5 is ready' }));
  await proves('[TOK-011] warns that it is gone afterwards', () =>
    shown.getByText('Copy it now. It is shown only once, and not again after you leave this page.'),
  );
  expect(shown.getByRole('link', { name: 'Calls and fields of the API' }).getAttribute('href')).toBe('/docs');
  vi.useFakeTimers();
  await proves('[TOK-008] a button copies it', async () => {
    fireEvent.click(shown.getByRole('button', { name: 'Copy Generated token' }));
    await act(async () => undefined);
    expect(written).toEqual([generatedToken]);
  });
  await proves('[TOK-009] says that it is copied', () => shown.getByText('Copied to clipboard'));
  await proves('[TOK-010] says so for a second', () => {
    act(() => void vi.advanceTimersByTime(999));
    shown.getByText('Copied to clipboard');
    act(() => void vi.advanceTimersByTime(1));
    expect(shown.queryByText('Copied to clipboard')).toBeNull();
  });
  vi.useRealTimers();

  await proves('[TOK-007] shows it once', async () => {
    await act(() => router.navigate(`/${tenantId}/locations`));
    await waitFor(() => expect(screen.queryByText(generatedToken)).toBeNull());
    await act(() => router.navigate(`/${tenantId}/tokens`));
    await screen.findByRole('link', { name: 'Token 1' });
    expect(screen.queryByText(generatedToken)).toBeNull();
  });
});

it('a new token may do what is ticked: those of agents at first, also one alone or none', async () => {
  const { calls } = await open('?id=new');
  const panel = await dialog('Create Token');
  const scopes = within(panel.getByRole('group', { name: 'May do' }));
  expect(scopes.getAllByRole<HTMLInputElement>('checkbox').map((box) => [box.ariaLabel, box.checked])).toEqual([
    ['Register and run agents', true],
    ['Send packets', true],
    ['Change work units as an assistant', false],
  ]);
  const tick = (name: string) => fireEvent.click(scopes.getByRole('checkbox', { name }));
  tick('Register and run agents');
  fill(panel);
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await screen.findByText(generatedToken);
  expect(sent(calls, 'PUT').at(-1)?.body).toMatchObject({ scopes: ['ingest'] });
});

it('edits name and description; a failed save says so and keeps what was typed', async () => {
  let answer: () => unknown = refused(500, 'x');
  const { calls } = await open(`?id=${first}`, { [`POST /v1/tokens/${first}`]: () => answer() });
  const panel = await proves('[TOK-005] has a panel', () => dialog('Edit Token: Token 1'));
  expect(panel.queryByLabelText(/^Lifetime/)).toBeNull();
  fireEvent.change(panel.getByLabelText('Description'), { target: { value: 'For the probes' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await proves('[ERR-037] says that it failed', () => screen.findByText('A problem occurred saving the token. Please try again.'));
  expect(panel.getByLabelText<HTMLTextAreaElement>('Description').value).toBe('For the probes');
  answer = () => rows[0];
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await proves('[TOK-005] saves the change', async () => {
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Edit Token: Token 1' })).toBeNull());
    expect(sent(calls, 'POST').at(-1)?.body).toEqual({ description: 'For the probes' });
  });
});

it('[TOK-006] revokes a token after a question', async () => {
  const path = `/v1/tokens/${first}/revoke`;
  const { calls } = await open(`?id=${first}`, { [`PUT ${path}`]: rows[0] });
  const panel = await dialog('Edit Token: Token 1');
  fireEvent.click(panel.getByRole('button', { name: 'Revoke' }));
  const question = await dialog('Revoke token');
  question.getByText('Revoke Token 1? Whatever uses this token loses its access at once. Cannot be undone.');
  fireEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Revoke token' })).toBeNull());
  expect(sent(calls, 'PUT')).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Actions for Token 1' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Revoke' }));
  fireEvent.click((await dialog('Revoke token')).getByRole('button', { name: 'Revoke' }));
  await screen.findByText('Token 1 is revoked.');
  expect(sent(calls, 'PUT')[0]?.path).toBe(path);
  fireEvent.click(screen.getByRole('button', { name: 'Actions for Token 3' }));
  expect((await screen.findAllByRole('menuitem')).map((item) => item.textContent)).toEqual(['History of this']);
});

it('names the owner of each token, and sends the networks that were typed', async () => {
  const { calls } = await open('', { 'GET /v1/people(p9)': { personId: 'p9', name: 'Ada Byron', userName: 'ada@example.com' } });
  expect((await screen.findByText('Ada Byron')).closest('tr')?.textContent).toContain('Token 1');
  expect(screen.getByRole('link', { name: 'Token 2' }).closest('tr')?.textContent).toContain('No owner');
  fireEvent.click(screen.getByRole('button', { name: 'Create' }));
  const panel = await dialog('Create Token');
  fill(panel);
  fireEvent.change(panel.getByLabelText(/^Networks/), { target: { value: '192.0.2.0/24, 2001:db8::/32' } });
  fireEvent.click(panel.getByText('Create', { selector: '.foot button' }));
  await waitFor(() => expect(sent(calls, 'PUT')[0]?.body).toMatchObject({ networks: ['192.0.2.0/24', '2001:db8::/32'] }));
});

it('takes over a token from the menu of its row, after a question', async () => {
  const path = `/v1/tokens/${first}/takeOver`;
  const { calls } = await open('', { [`PUT ${path}`]: rows[0] });
  await screen.findByRole('link', { name: 'Token 1' });
  fireEvent.click(screen.getByRole('button', { name: en.common.rowActions('Token 1') }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Take over/ }));
  const question = await dialog('Take over token');
  expect(sent(calls, 'PUT')).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Take over' }));
  await waitFor(() => expect(sent(calls, 'PUT').map((call) => call.path)).toEqual([path]));
});
