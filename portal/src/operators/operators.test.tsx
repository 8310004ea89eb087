/** Operators in a search: read as text, applied to the filters of a list, completed while typing, in the palette. */
import '../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { workUnitsView } from '../features/work-units/work-units.view.tsx';
import { renderApp, tenantId, type Answers, type ApiCall } from '../testing/render-app.tsx';
import { completionsOf } from './completions.ts';
import { readSearch } from './read-search.ts';

const answers: Answers = { 'GET /v1/workUnits': { '@odata.count': 0, value: [] }, peopleLookup: [] };
const open = (more: Answers = {}) => renderApp('/workunitsv2?f=', { ...answers, ...more });
const lastFilter = (calls: readonly ApiCall[]) =>
  calls
    .filter((call) => call.path === '/v1/workUnits' && call.query.get('$count') === 'true' && call.query.get('$top') !== '0')
    .at(-1)
    ?.query.get('$filter');

beforeEach(() => localStorage.clear());

const field = () => screen.findByRole('searchbox', { name: 'Search work units' });
async function search(text: string) {
  const input = await field();
  fireEvent.change(input, { target: { value: text } });
  fireEvent.submit(screen.getByRole('search', { name: 'Search work units' }));
  return input as HTMLInputElement;
}

it('reads words with a colon as operators, with several and quoted values, and the rest as text', () => {
  expect(readSearch('state:open,new till assignee:me tenant:"Alder Water" leeds')).toEqual({
    operators: [
      { word: 'state', values: ['open', 'new'], isNot: false },
      { word: 'assignee', values: ['me'], isNot: false },
      { word: 'tenant', values: ['Alder Water'], isNot: false },
    ],
    rest: 'till leeds',
  });
  expect(readSearch('https://example.com "a:b" error: 12:30')).toEqual({ operators: [], rest: 'https://example.com a:b error: 12:30' });
  expect(readSearch('group:"Night desk').operators).toEqual([{ word: 'group', values: ['Night desk'], isNot: false }]);
});

it('turns operators into the chips of the list, and searches for the rest', async () => {
  const { search: address } = await open();
  const input = await search('state:open assignee:me tenant:north severity:1 created:>2d is:breaching pump');
  await waitFor(() => expect(address().get('search')).toBe('pump'));
  expect(Object.fromEntries(address())).toEqual({
    'f.stateId': 'New,Acknowledged,InProgress,OnHold,Mitigated',
    'f.assignedTo': 'mara@northwind.example',
    'f.tenantId': tenantId,
    'f.severityId': 'Sev1',
    'f.created': '>2d',
    q: 'breaching',
    search: 'pump',
  });
  expect(input.value).toBe('pump');
  expect((await screen.findByTitle('Edit filter Created')).textContent).toBe('Createdmore than 2 days ago');
});

it('leaves out values of a short list, and reads names whatever their blanks and accents', async () => {
  const { search: address } = await open();
  await search('-state:open,closed state:"\u00d6n-hold" state:resolved');
  await waitFor(() => expect(address().get('f.stateId')).toBe('Resolved'));
  await search('-severity:0 -severity:sev1');
  await waitFor(() => expect(address().get('f.severityId')).toBe('Sev2,Sev3,Sev4'));
});

it.each([
  ['-assignee:me', /^Values of assignee cannot be excluded/],
  ['-severity:0,1,2,3,4', /^No value of severity is left/],
  ['created:2026-13-45', /^2026-13-45 is no time for created/],
  ['created:2026-11-09..2026-11-01', /is no time for created/],
  ['state:""', /^Write one value behind state/],
  ['colour:red', /^There is no operator colour/],
])('says what is wrong with %s', async (typed, problem) => {
  await open();
  await search(typed);
  expect(await screen.findByText(problem)).toBeTruthy();
});

it('asks the server for rows by age, and for those without a value', async () => {
  const { calls } = await open();
  await search('updated:<12h assignee:none');
  await waitFor(() => expect(lastFilter(calls)).toBe("modified gt now() sub duration'PT12H' and assignedTo eq null"));
});

it('takes all categories of a name, whatever their tenant', async () => {
  const [one, other] = ['01a1fcdb-e331-70c1-ba47-00000000000a', '01a1fcdb-e331-70c1-ba47-00000000000b'];
  const named = (workUnitCategoryId: string) => ({ workUnitCategoryId, name: 'Night backup', tenantId });
  const { search: address } = await open({ workUnitCategories: [named(one), named(other)] });
  await search('category:"night backup"');
  await waitFor(() => expect(address().get('f.workUnitCategoryId')).toBe(`${one},${other}`));
});

it('names an unknown operator or value, says what is possible, and leaves the list as it is', async () => {
  const { search: address } = await open({
    peopleLookup: [
      { personId: '1', displayName: 'Ann Lee', mail: 'ann.lee@example.com' },
      { personId: '2', displayName: 'Ann Poe', mail: 'ann.poe@example.com' },
    ],
  });
  const problem = async (text: string) => {
    const input = await search(text);
    const { textContent } = await screen.findByRole('alert');
    expect(input.value).toBe(text);
    fireEvent.change(input, { target: { value: '' } });
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    return textContent;
  };
  expect(await problem('staet:new')).toMatch(
    /^There is no operator staet\. Possible are: state, severity, waiting-for, tenant, type, category, assignee, .*quotes/,
  );
  expect(await problem('severity:9')).toMatch(/^9 is no value of severity\. Possible are: sev0, sev1/);
  expect(await problem('created:soon')).toMatch(/^soon is no time for created\./);
  expect(await problem('assignee:ann')).toBe('ann fits several values of assignee: "Ann Lee", "Ann Poe". Write one of them.');
  expect(await problem('created:>2d,<5d')).toBe('Write one value behind created:.');
  expect([...address().keys()]).toEqual(['f']);
});

it('completes operators and values by the keyboard', async () => {
  await open();
  const input = (await field()) as HTMLInputElement;
  const type = (value: string) => fireEvent.change(input, { target: { value } });
  type('pump sev');
  await screen.findByRole('option', { name: /^severity:/ });
  fireEvent.keyDown(input, { key: 'Tab' });
  expect(input.value).toBe('pump severity:');
  fireEvent.keyDown(input, { key: 'ArrowDown' });
  fireEvent.keyDown(input, { key: 'ArrowDown' });
  expect(input.getAttribute('aria-activedescendant')).toMatch(/-1$/);
  fireEvent.keyDown(input, { key: 'Enter' });
  expect(input.value).toBe('pump severity:sev1 ');
  type('tenant:no');
  await screen.findByRole('option', { name: 'Northwind Energy' });
  fireEvent.keyDown(input, { key: 'Tab' });
  expect(input.value).toBe('tenant:"Northwind Energy" ');
  expect(completionsOf(workUnitsView, 'state:new,ack', [])).toMatchObject([{ text: 'state:new,acknowledged ' }]);
  expect(completionsOf(workUnitsView, 'p', [])).toEqual([]);
});

it('does not search for operators while they are typed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const opened = open();
  await vi.advanceTimersByTimeAsync(500);
  const { search: address } = await opened;
  await vi.waitFor(() => screen.getByRole('searchbox', { name: 'Search work units' }));
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search work units' }), { target: { value: 'state:new' } });
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  expect(address().has('search')).toBe(false);
});

it('works in the palette: completes, shows the work units, and names what is wrong', async () => {
  const { search: address, router } = await renderApp(`/${tenantId}/locations`, answers);
  await screen.findByRole('link', { name: 'Locations' });
  const palette = async (text: string) => {
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    const input = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Command palette' });
    fireEvent.change(input, { target: { value: text } });
    return input;
  };
  const input = await palette('state:op');
  await screen.findByRole('option', { name: 'open' });
  fireEvent.keyDown(input, { key: 'ArrowDown' });
  fireEvent.keyDown(input, { key: 'Enter' });
  expect(input.value).toBe('state:open ');
  fireEvent.change(input, { target: { value: 'state:open assignee:me' } });
  await screen.findByRole('option', { name: 'Show work units with state:open assignee:me' });
  fireEvent.keyDown(input, { key: 'Enter' });
  await waitFor(() => expect(router.state.location.pathname).toBe('/workunitsv2'));
  expect(address().get('f.assignedTo')).toBe('mara@northwind.example');
  fireEvent.keyDown(await palette('staet:open'), { key: 'Enter' });
  await screen.findByText(/^There is no operator staet/);
});
