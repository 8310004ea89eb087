/** The inbox page, and the number at the bell, in the menu and in the title. */
import '../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { InboxKind } from '@cloudfit/contract/resources/inbox-items.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';
import { snoozeTimes } from '../../entities/inbox/snooze-times.ts';
import { learnNow, nowMs } from '../../theme/now.ts';

afterEach(cleanup);

const item = {
  tenantId,
  createdBy: 'tom.berg@northwind.example',
  created: '2026-11-21T10:00:00Z',
  due: '2026-11-21T10:00:00Z',
  readAt: null,
};
const unit = { workUnitId: 7, publicWorkUnitId: 1007, title: 'Gateway is silent', severityId: 'Sev1' };
const tenant = { tenantId, name: 'Northwind Energy' };
const items = [
  { ...item, inboxItemId: 'i1', workUnitId: 7, kind: 'Mentioned', detail: 'Ask @mara', workUnit: unit, tenant },
  {
    ...item,
    inboxItemId: 'i2',
    workUnitId: 8,
    kind: 'Assigned',
    detail: '',
    workUnit: { ...unit, publicWorkUnitId: 1008, title: 'Pump' },
    tenant,
  },
  { ...item, inboxItemId: 'i3', workUnitId: 9, kind: 'Watched', detail: 'State changed.', readAt: item.due, workUnit: null, tenant },
] as const;
const answers: Answers = {
  inboxItems: items,
  inboxCount: { unread: 2, nextDue: null },
  markInboxItems: { changed: 1 },
  snoozeInboxItems: { changed: 1 },
  mutedInboxKinds: { muted: ['Watched'] },
  muteInboxKinds: { muted: [] },
  'GET /v1/workUnits(7)': refused(404, 'x'),
  'GET /v1/workUnits(8)': refused(404, 'x'),
};
const open = (more: Answers = {}) => renderApp(`/${tenantId}/inbox`, { ...answers, ...more });
const rows = async () => (await screen.findByRole('list', { name: 'Inbox' })).querySelectorAll('li');
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

it('says who did what on which unit, and nothing of a unit that is out of reach', async () => {
  await open();
  await screen.findByText(/Thomas Berg mentioned you: Ask @mara/);
  const texts = [...(await rows())].map((row) => row.textContent);
  expect(texts[0]).toContain('#1007 Gateway is silent');
  expect(texts[1]).toContain('Northwind Energy · Thomas Berg assigned it to you');
  expect(texts[2]).toContain('A unit that you may no longer see');
});

it('says no sentence without its subject while the names of people are looked up', async () => {
  await open({
    namesOfPeople: () => new Promise<never>(() => undefined),
    inboxItems: [{ ...items[1], createdBy: 'new@northwind.example' }],
  });
  await screen.findByText('Northwind Energy · … assigned it to you');
});

it('names the people that a note mentions', async () => {
  await open({ inboxItems: [{ ...items[0], detail: 'Ask @mara@northwind.example, not @nobody.' }] });
  await screen.findByText(/Thomas Berg mentioned you: Ask @Mara Okafor, not @nobody\./);
});

it('tells of a call back that nobody has taken by its own sentence: Automation asks for none', async () => {
  const detail = 'The time of the call back is over: nobody has taken it.';
  await open({ inboxItems: [{ ...items[0], kind: 'CallMe', createdBy: 'Automation', detail }] });
  await screen.findByText(`Northwind Energy · ${detail}`);
});

it('shows the next clock of a unit with how much of its time has passed, of units that have one', async () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const clocks = { created: at(-30), clockDue: at(90.5), clockWarn: at(60) };
  const late = { ...clocks, clockDue: at(-10) };
  await open({
    inboxItems: [{ ...items[0], workUnit: { ...unit, ...clocks } }, { ...items[1], workUnit: { ...unit, ...late } }, items[2]],
  });
  await screen.findByText(/mentioned you/);
  const [running, over, none] = await rows();
  expect(running?.querySelector('.inbox-clock')?.textContent).toMatch(/^1 h/);
  expect(running?.querySelector<HTMLElement>('.time-bar i')?.style.width).toMatch(/^2[45]\./);
  expect(over?.querySelector('.inbox-clock')?.textContent).toBe('10 min over');
  expect([over?.querySelector('.time-bar')?.className, none?.querySelector('.inbox-clock')]).toEqual(['time-bar danger', null]);
});

it('counts what is unread at the bell, in the menu and in the title of the tab', async () => {
  await open();
  const link = await screen.findByRole('link', { name: 'Inbox, 2 unread' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/inbox`);
  await waitFor(() => expect(document.title).toBe('(2) Inbox - CloudFit Software'));
  const menu = within(screen.getByRole('navigation', { name: 'Main menu' }));
  expect(menu.getByRole('link', { name: /^Inbox/ }).textContent).toBe('Inbox2');
});

it('moves by j and k, marks by e and opens by Enter', async () => {
  const { inputsOf, search } = await open();
  await rows();
  press('j');
  press('j');
  expect(document.activeElement?.textContent).toContain('#1008 Pump');
  press('k');
  expect(document.activeElement?.textContent).toContain('#1007');
  press('e');
  await waitFor(() => expect(inputsOf('markInboxItems')).toEqual([{ ids: ['i1'], isRead: true }]));
  press('j');
  if (document.activeElement) fireEvent.click(document.activeElement);
  await waitFor(() => expect(search().get('workUnitId')).toBe('8'));
  expect(inputsOf('markInboxItems')).toContainEqual({ ids: ['i2'], isRead: true });
});

it('goes on to the next unit beside the list, also from a unit that is there twice', async () => {
  const twice = { ...items[1], inboxItemId: 'i0', workUnitId: 7 };
  const { inputsOf, search } = await open({ inboxItems: [items[0], twice, items[1]] });
  await rows();
  press('j');
  if (document.activeElement) fireEvent.click(document.activeElement);
  await waitFor(() => expect(search().get('workUnitId')).toBe('7'));
  const panel = await screen.findByRole('dialog');
  expect([...(await rows())].map((row) => row.getAttribute('aria-current'))).toEqual(['true', 'true', null]);
  panel.focus();
  press('j');
  await waitFor(() => expect(search().get('workUnitId')).toBe('8'));
  expect(inputsOf('markInboxItems')).toEqual([
    { ids: ['i1'], isRead: true },
    { ids: ['i2'], isRead: true },
  ]);
  press('k');
  await waitFor(() => expect(search().get('workUnitId')).toBe('7'));
  press('Escape');
  await waitFor(() => expect(search().has('workUnitId')).toBe(false));
});

it('snoozes by z, and mutes a kind', async () => {
  const { inputsOf } = await open();
  await rows();
  press('j');
  press('z');
  fireEvent.click(await screen.findByRole('menuitem', { name: 'For an hour' }));
  await waitFor(() => expect(inputsOf('snoozeInboxItems')).toEqual([{ ids: ['i1'], until: expect.any(String) }]));
  fireEvent.click(screen.getByRole('button', { name: 'What I am told' }));
  const watched = await screen.findByRole('menuitemcheckbox', { name: 'Watched or mine, and changed' });
  expect(watched.getAttribute('aria-checked')).toBe('false');
  fireEvent.click(watched);
  await waitFor(() => expect(inputsOf('muteInboxKinds')).toEqual([{ muted: [] }]));
});

it('keeps what another tab has muted meanwhile', async () => {
  let muted: InboxKind[] = ['Watched'];
  const { inputsOf } = await open({ mutedInboxKinds: () => ({ muted }), muteInboxKinds: () => ({ muted }) });
  await rows();
  fireEvent.click(screen.getByRole('button', { name: 'What I am told' }));
  const mentioned = await screen.findByRole('menuitemcheckbox', { name: 'Mentioned' });
  muted = ['Watched', 'Assigned'];
  fireEvent.click(mentioned);
  await waitFor(() => expect(inputsOf('muteInboxKinds')).toEqual([{ muted: ['Watched', 'Assigned', 'Mentioned'] }]));
});

it('gives the focus to the next item when one leaves the list', async () => {
  let isRead = false;
  const { inboxItems: _all, ...others } = answers;
  await renderApp(`/${tenantId}/inbox`, {
    ...others,
    'GET /v1/inboxItems': () => list(isRead ? items.slice(1) : items),
    markInboxItems: () => {
      isRead = true;
      return { changed: 1 };
    },
  });
  await rows();
  press('j');
  expect(document.activeElement?.textContent).toContain('#1007');
  press('e');
  await waitFor(async () => expect(await rows()).toHaveLength(2));
  await waitFor(() => expect(document.activeElement?.textContent).toContain('#1008'));
});

it('marks all that it shows as read, and says when there is nothing', async () => {
  const { inputsOf } = await open();
  await rows();
  fireEvent.click(screen.getByRole('button', { name: 'Mark all as read' }));
  await waitFor(() => expect(inputsOf('markInboxItems')).toEqual([{ ids: ['i1', 'i2'], isRead: true }]));
  await open({ inboxItems: [] });
  await screen.findByText('Nothing needs you');
});

it('asks for other items by its tabs, which are in the address', async () => {
  const { calls, search } = await open();
  await rows();
  fireEvent.click(screen.getByRole('tab', { name: 'Mentions' }));
  await waitFor(() => expect(search().get('show')).toBe('mentions'));
  await waitFor(() =>
    expect(
      calls.some(({ path, query }) => path === '/v1/inboxItems' && query.get('$filter') === "due le now() and kind eq 'Mentioned'"),
    ).toBe(true),
  );
});

it('snoozes until the next morning and the next Monday, in the time of the person', () => {
  const from = (now: Date) => snoozeTimes(now).map(({ until }) => until);
  const friday = new Date(2026, 10, 27, 17, 30);
  expect(from(friday)).toEqual([
    new Date(2026, 10, 27, 18, 30),
    new Date(2026, 10, 27, 21, 30),
    new Date(2026, 10, 28, 8),
    new Date(2026, 10, 30, 8),
  ]);
  expect(from(new Date(2026, 10, 30, 7))[3]).toEqual(new Date(2026, 11, 7, 8));
});

it('counts again when a snooze is over by the clock of the server, also in a browser whose clock is fast', async () => {
  learnNow(new Date(Date.now() - 5 * 60_000).toISOString(), Date.now());
  const nextDue = nowMs() + 1_500;
  await open({
    inboxCount: () => (nowMs() < nextDue ? { unread: 0, nextDue: new Date(nextDue).toISOString() } : { unread: 1, nextDue: null }),
  });
  expect(await screen.findByRole('link', { name: 'Inbox, 1 unread' }, { timeout: 20_000 })).toBeTruthy();
  learnNow(new Date().toISOString(), Date.now());
});
