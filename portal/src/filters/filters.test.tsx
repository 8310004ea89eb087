import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../testing/browser.ts';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../testing/render-app.tsx';
import { Providers } from '../app/providers.tsx';
import { FilterEditor } from './filter-editor.tsx';

const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Pump 7',
  severityId: 'Sev1',
  stateId: 'New',
  assignedTo: null,
  tenantId,
  workUnitTypeId: 1,
  created: '2026-11-21T10:00:00Z',
  modified: '2026-11-21T10:00:00Z',
};
const protocolId = '01a1fcdb-e331-70c1-ba47-fd1610462ae0';
const lists = ({ query }: ApiCall) =>
  query.has('$apply') ? list([{ assignedTo: 'mara@northwind.example' }, { assignedTo: 'Ops, East' }, { assignedTo: null }]) : list([unit]);
const open = (address = '/workunitsv2?f=', more: Answers = {}) => renderApp(address, { 'GET /v1/workUnits': lists, ...more });
const pages = (calls: readonly ApiCall[]) => calls.filter((call) => call.path === '/v1/workUnits' && call.query.get('$count') === 'true');
const lastFilter = (calls: readonly ApiCall[]) => pages(calls).at(-1)?.query.get('$filter');

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

function editor(name: string) {
  const onApply = vi.fn<(values: readonly string[]) => void>();
  render(
    <Providers>
      <FilterEditor listing={{ resource: devices }} name={name} values={[]} onApply={onApply} onCancel={() => undefined} />
    </Providers>,
  );
  return onApply;
}

it('[GRID-013] a GUID filter takes GUIDs only', () => {
  const onApply = editor('deviceId');
  fireEvent.change(screen.getByRole('textbox'), { target: { value: '1234' } });
  fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
  expect(screen.getByRole('alert').textContent).toBe('Please enter a valid GUID.');
  expect(onApply).not.toHaveBeenCalled();
  fireEvent.change(screen.getByRole('textbox'), { target: { value: protocolId } });
  fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
  expect(onApply).toHaveBeenCalledWith([protocolId]);
});

it('a filter without a value is refused; with one it is a chip', async () => {
  const { calls, search } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Severity' }));
  const form = await screen.findByRole('form', { name: 'Filter by Severity' });
  fireEvent.click(within(form).getByRole('button', { name: 'Apply' }));
  await proves('[GRID-015] asks for a value', async () =>
    expect((await within(form).findByRole('alert')).textContent).toBe('Please make a selection'),
  );
  await proves('[GRID-014] is refused without one', () => expect(search().has('f.severityId')).toBe(false));
  fireEvent.click(within(form).getByRole('checkbox', { name: 'Sev2' }));
  fireEvent.click(within(form).getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(lastFilter(calls)).toBe("severityId eq 'Sev2'"));
  const bar = screen.getByRole('group', { name: 'Filter by' });
  await proves('[WU-041] is a chip of the bar', () =>
    expect(within(bar).getByTitle('Edit filter Severity').textContent).toBe('SeveritySev2'),
  );
  fireEvent.click(within(bar).getByRole('button', { name: 'Remove filter Severity' }));
  await waitFor(() => expect(search().has('f.severityId')).toBe(false));
});

it('[WU-042][LIM-019] the filter panel shows its choice in the list 500 ms after the last one', async () => {
  const { calls, search } = await open();
  await screen.findByText('Pump 7');
  fireEvent.click(screen.getByRole('button', { name: 'All filters' }));
  const panel = within(await screen.findByRole('complementary', { name: 'Filters' }));
  expect(search().get('filters')).toBe('open');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.click(panel.getByRole('checkbox', { name: 'OnHold' }));
  vi.advanceTimersByTime(400);
  fireEvent.click(panel.getByRole('checkbox', { name: 'Sev2' }));
  vi.advanceTimersByTime(499);
  expect(search().has('f.stateId')).toBe(false);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await waitFor(() => expect(lastFilter(calls)).toBe("stateId eq 'OnHold' and severityId eq 'Sev2'"));
});

it('[API-137] people to filter by are those that work units are assigned to, and none', async () => {
  const { calls, search } = await open('/workunitsv2?f=&filters=open');
  const panel = within(await screen.findByRole('complementary', { name: 'Filters' }));
  const group = within(panel.getByRole('group', { name: 'Assigned To' }));
  fireEvent.click(await group.findByRole('checkbox', { name: 'Ops, East' }));
  fireEvent.click(group.getByRole('checkbox', { name: 'None' }));
  await waitFor(() => expect(lastFilter(calls)).toBe("assignedTo in ('Ops, East',null)"));
  expect(calls.some((call) => call.query.get('$apply') === 'groupby((assignedTo))')).toBe(true);
  expect(search().get('f.assignedTo')).toBe('Ops%2C East,null');
  expect(group.getByRole<HTMLInputElement>('checkbox', { name: 'Ops, East' }).checked).toBe(true);
});

it('quick filters: my approval, and the states', async () => {
  const { calls } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Quick filters' }));
  const entries = (await screen.findAllByRole('menuitemcheckbox')).map((entry) => entry.textContent);
  await proves('[WU-045] offers these states', () =>
    expect(entries).toEqual(expect.arrayContaining(['New', 'Acknowledged', 'InProgress', 'OnHold'])),
  );
  fireEvent.click(
    await proves('[WU-043] offers my approval', () => screen.getByRole('menuitemcheckbox', { name: 'Requires My Approval' })),
  );
  await proves('[WU-044] asks by the name of the person', async () => {
    await waitFor(() => expect(lastFilter(calls)).toContain("approver1 eq 'mara@northwind.example'"));
    expect(lastFilter(calls)).toContain("approver2 eq 'mara@northwind.example'");
  });
});

it('[WU-046] the first visit filters by New', async () => {
  const { calls, search } = await open('/workunitsv2');
  await screen.findByText('Pump 7');
  expect(lastFilter(calls)).toBe("stateId eq 'New'");
  await waitFor(() => expect(search().get('f.stateId')).toBe('New'));
});

it('[WU-013][WU-014] publicWorkUnitId in the address opens the unit of this number', async () => {
  const { calls, search } = await open('/workunitsv2?f=&publicWorkUnitId=1007');
  await waitFor(() => expect(search().get('workUnitId')).toBe('7'));
  expect(search().has('publicWorkUnitId')).toBe(false);
  expect(calls.some((call) => call.query.get('$filter') === 'publicWorkUnitId eq 1007')).toBe(true);
});

it('[WU-015] protocolId in the address is a filter', async () => {
  const { calls } = await open(`/workunitsv2?protocolId=${protocolId}`);
  await waitFor(() => expect(lastFilter(calls)).toBe(`protocolId eq ${protocolId}`));
  expect(await screen.findByRole('button', { name: 'Remove filter Protocol' })).toBeTruthy();
});

it.each([
  ['[LIM-021] work units', '/workunitsv2?f=', 250],
  ...['rules', 'matches', 'actioncatalog', 'protocols', 'versionreport', 'blocks'].map((screenName): [string, string, number] => [
    `[LIM-018] ${screenName}`,
    `/${tenantId}/${screenName}`,
    250,
  ]),
  ['[LIM-022] another list', `/${tenantId}/locations`, 500],
])('%s: the search runs by itself after the last key', async (_what, address, ms) => {
  const { search } = await open(address);
  const box = await screen.findByRole('searchbox');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.change(box, { target: { value: 'pum' } });
  vi.advanceTimersByTime(ms - 50);
  fireEvent.change(box, { target: { value: 'pump' } });
  vi.advanceTimersByTime(ms - 1);
  expect(search().get('search')).toBeNull();
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await waitFor(() => expect(search().get('search')).toBe('pump'));
});

it('polls every 60 s with auto-refresh on and no panel open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls, router } = await open();
  await screen.findByText('Pump 7');
  const countOfPages = () => pages(calls).length;
  await proves('[LIM-015] every 60 s', async () => {
    const before = countOfPages();
    vi.advanceTimersByTime(59_999);
    expect(countOfPages()).toBe(before);
    vi.advanceTimersByTime(1);
    await expect.poll(countOfPages).toBe(before + 1);
  });
  await router.navigate('/workunitsv2?f=&massEdit=7');
  await screen.findByRole('dialog', { name: /Mass Edit/ });
  const notPolled = () => {
    const before = countOfPages();
    vi.advanceTimersByTime(120_000);
    expect(countOfPages()).toBe(before);
  };
  await proves('[LIM-016] not while a panel is open', notPolled);
  await router.navigate('/workunitsv2?f=');
  fireEvent.click(await screen.findByRole('button', { name: /Auto-refresh/ }));
  await proves('[LIM-016] not without auto-refresh', notPolled);
});
