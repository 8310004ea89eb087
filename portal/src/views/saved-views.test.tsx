/** Saved views of lists: in the list, in the menu with their counts, by address, and those of an earlier version. */
import '../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { savedViews } from '@cloudfit/contract/calls.ts';
import { readerMarks } from '@cloudfit/contract/views/screens.ts';
import { renderApp, subscriptionId, tenantId, type Answers } from '../testing/render-app.tsx';
import { filterForReader } from './view-filter.ts';

type Shown = CallOutput<typeof savedViews>['views'][number];

const aView: Shown = {
  savedViewId: '01a1fcdb-e331-70c1-ba47-000000000001',
  screen: 'workunitsv2',
  name: 'Burning',
  address: 'f.severityId=Sev0%2CSev1&sort=title',
  filter: "severityId in ('Sev0','Sev1')",
  hidden: null,
  sharing: 'Me',
  team: null,
  inMenu: true,
  tenantId,
  owner: 'mara@northwind.example',
  isMine: true,
  mayChange: true,
  isDefault: false,
};

/** Views as a server has them. */
function serverWith(...first: Shown[]) {
  let views = first;
  const answers: Answers = {
    savedViews: () => ({ views, teams: ['Night desk'] }),
    countRows: ({ lists }) => ({ counts: lists.map(({ screen: of }) => (of === 'workunitsv2' ? 7 : 3)) }),
    saveView: ({ screen: of, ...chosen }) => {
      const savedViewId = `01a1fcdb-e331-70c1-ba47-00000000001${views.length}`;
      views = [...views, { ...aView, ...chosen, screen: of, savedViewId }];
      return { savedViewId };
    },
    changeView: ({ id, ...changes }) => {
      views = views.map((view) => (view.savedViewId === id ? ({ ...view, ...changes } as Shown) : view));
      return { savedViewId: id };
    },
    removeView: ({ id }) => {
      views = views.filter((view) => view.savedViewId !== id);
      return new Response(null, { status: 204 });
    },
    chooseDefaultView: ({ savedViewId }) => {
      views = views.map((view) => ({ ...view, isDefault: view.savedViewId === savedViewId }));
      return new Response(null, { status: 204 });
    },
  };
  return answers;
}

beforeEach(() => localStorage.clear());

async function openMenu(name = 'Views') {
  // The button is disabled until its code has loaded.
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(false));
  fireEvent.click(screen.getByRole('button', { name }));
  return within(await screen.findByRole('dialog', { name: 'Saved views' }));
}

it('a view is saved with filters, sort and columns, for a team, and shown in the menu with its count', async () => {
  localStorage.setItem('cloudfit.columns.workUnits', JSON.stringify({ created: true }));
  const { inputsOf } = await renderApp('/workunitsv2?f.severityId=Sev0,Sev1&sort=title&q=mine', serverWith());
  const menu = await openMenu();
  fireEvent.click(await menu.findByRole('button', { name: 'Save as a view' }));
  fireEvent.click(await menu.findByRole('button', { name: 'Save view' }));
  await menu.findByText('Please name the view.');
  fireEvent.change(menu.getByLabelText('Name of the view'), { target: { value: 'Burning' } });
  fireEvent.change(menu.getByLabelText('Who sees it'), { target: { value: 'Team:Night desk' } });
  fireEvent.click(menu.getByRole('button', { name: 'Save view' }));
  fireEvent.click(await menu.findByRole('button', { name: 'Open view Burning' }));
  await screen.findByRole('button', { name: 'Burning' });
  expect(inputsOf('saveView')).toEqual([
    {
      screen: 'workunitsv2',
      name: 'Burning',
      address: 'f.severityId=Sev0%2CSev1&q=mine&sort=title',
      filter: "severityId in ('Sev0','Sev1') and assignedTo eq '{reader}'",
      hidden: ['created'],
      sharing: 'Team',
      team: 'Night desk',
      inMenu: true,
      tenantId,
    },
  ]);
  const link = await screen.findByRole('link', { name: /^Burning/ });
  await within(link).findByText('7');
  expect(inputsOf('countRows')).toEqual([
    { lists: [{ screen: 'workunitsv2', filter: "severityId in ('Sev0','Sev1') and assignedTo eq 'mara@northwind.example'" }] },
  ]);
});

it('all views of the menu are counted by one call, and open their list in the current tenant with its columns', async () => {
  const filter = `tenantId eq ${readerMarks.tenantId} and enabled eq false`;
  const ofRules: Shown = {
    ...aView,
    savedViewId: '01a1fcdb-e331-70c1-ba47-000000000002',
    screen: 'rules',
    name: 'Off',
    address: 'sort=name',
    filter,
    hidden: ['modified'],
  };
  const { inputsOf, router } = await renderApp('/workunitsv2?f=', serverWith(aView, ofRules));
  await within(await screen.findByRole('link', { name: /^Burning/ })).findByText('7');
  const link = screen.getByRole('link', { name: /^Off/ });
  await within(link).findByText('3');
  expect(inputsOf('countRows')).toHaveLength(1);
  expect(inputsOf('countRows')[0]?.lists).toContainEqual({ screen: 'rules', filter: `tenantId eq ${tenantId} and enabled eq false` });
  fireEvent.click(link);
  await waitFor(() => expect(router.state.location).toMatchObject({ pathname: `/${tenantId}/rules`, search: '?sort=name' }));
  expect(localStorage.getItem('cloudfit.columns.rules')).toBe('{"modified":true}');
});

it('a view is opened by its address, changed to what the list shows now, and deleted with undo', async () => {
  const { inputsOf, search } = await renderApp(`/workunitsv2?f.stateId=New&savedView=${aView.savedViewId}`, serverWith(aView));
  await waitFor(() => expect(search().get('f.severityId')).toBe('Sev0,Sev1'));
  expect(search().has('savedView')).toBe(false);
  expect(search().has('f.stateId')).toBe(false);
  fireEvent.click(await screen.findByRole('button', { name: 'Remove filter Severity' }));
  const menu = await openMenu();
  fireEvent.click(await menu.findByRole('button', { name: 'Change view Burning' }));
  fireEvent.change(menu.getByLabelText('Name of the view'), { target: { value: 'All' } });
  fireEvent.click(menu.getByRole('checkbox', { name: 'Save the list as it is now' }));
  fireEvent.click(menu.getByRole('button', { name: 'Save' }));
  await menu.findByRole('button', { name: 'Open view All' });
  expect(inputsOf('changeView')[0]).toMatchObject({
    name: 'All',
    address: 'sort=title&f=',
    filter: null,
  });
  fireEvent.click(menu.getByRole('button', { name: 'Delete view All' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(inputsOf('saveView')).toHaveLength(1));
});

it('a view of somebody else can be opened and starred, not changed', async () => {
  const theirs = { ...aView, isMine: false, mayChange: false, sharing: 'Tenant', owner: 'tom.berg@northwind.example' } as const;
  await renderApp('/workunitsv2?f=', serverWith(theirs));
  const menu = await openMenu();
  await menu.findByText('Thomas Berg');
  expect(menu.queryByRole('button', { name: 'Change view Burning' })).toBeNull();
  expect(menu.queryByRole('button', { name: 'Delete view Burning' })).toBeNull();
});

it('a list opens with the view that the person has chosen, in a browser that learns of it now too', async () => {
  const { search, router } = await renderApp('/workunitsv2?f=', serverWith(aView));
  const menu = await openMenu();
  fireEvent.click(await menu.findByRole('button', { name: 'Open the list with view Burning' }));
  await waitFor(() => expect(localStorage.getItem('cloudfit.defaultViews')).toBe(JSON.stringify({ workunitsv2: aView.address })));
  await router.navigate('/workunitsv2');
  await waitFor(() => expect(search().get('f.severityId')).toBe('Sev0,Sev1'));
  localStorage.clear();
  const next = await renderApp('/workunitsv2', serverWith({ ...aView, isDefault: true }));
  await waitFor(() => expect(next.search().get('f.severityId')).toBe('Sev0,Sev1'));
  expect(next.search().has('f.stateId')).toBe(false);
});

it('views that an earlier version stored in this browser are moved to the server', async () => {
  localStorage.setItem('cloudfit.views.workUnits', JSON.stringify([{ name: 'Mine', query: 'f.stateId=New' }]));
  const { inputsOf } = await renderApp('/workunitsv2?f=', serverWith());
  await waitFor(() => expect(localStorage.getItem('cloudfit.views.workUnits')).toBe('[]'));
  expect(inputsOf('saveView')).toMatchObject([
    { name: 'Mine', address: 'f.stateId=New', filter: "stateId eq 'New'", sharing: 'Me', tenantId },
  ]);
});

it('a filter names its reader in literals, and is not counted without what it needs', () => {
  const reader = { tenantId, subscriptionId, userName: "o'neil@example.com" };
  expect(filterForReader(`assignedTo eq '${readerMarks.userName}'`, reader)).toBe("assignedTo eq 'o''neil@example.com'");
  expect(filterForReader(`subscriptionId eq ${readerMarks.subscriptionId}`, { ...reader, subscriptionId: null })).toBeUndefined();
  expect(filterForReader(null, reader)).toBeNull();
});
