/** What was typed is kept in the tab until it is saved or discarded. */
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';
import { unit, server, answers, open, field, type, save, startAfresh } from './saving.fixtures.ts';

beforeEach(startAfresh);

it('brings back what was typed when the same person opens the unit again, until it is saved', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  // The session ended: the page closes without a question.
  first.unmount();
  await open();
  await screen.findByText(/1 unsaved change was restored, typed/);
  expect((await field('Title')).value).toBe('Gateway is back');
  save();
  await screen.findByText('Work unit saved.');
  await waitFor(() => expect(screen.queryByText(/was restored/)).toBeNull());
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('cloudfit.draft.workUnits'))).toEqual([]);
});

it('shows what was typed beside what somebody else saved meanwhile', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  first.unmount();
  server.unit = { ...server.unit, title: 'Gateway 7 is silent' };
  await open();
  await screen.findByRole('button', { name: 'Take theirs: Title “Gateway 7 is silent”' });
  expect((await field('Title')).value).toBe('Gateway is back');
});

it('drops a draft that is discarded, and one that is given up by closing', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  first.unmount();
  await open();
  await screen.findByText(/was restored/);
  fireEvent.click(screen.getAllByRole('button', { name: 'Discard' })[0] as HTMLElement);
  await waitFor(async () => expect((await field('Title')).value).toBe('Gateway is silent'));
  expect(sessionStorage.length).toBe(0);

  await type('Title', 'Another');
  expect(sessionStorage.length).toBe(1);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
});

it('shows nobody the draft of another person', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  first.unmount();
  await open({
    currentUser: {
      personId: 'p2',
      name: 'Tom Berg',
      userName: 'tom@northwind.example',
      tenantId,
      subscriptionId: null,
      photo: null,
      locale: null,
    },
  });
  expect((await field('Title')).value).toBe('Gateway is silent');
  expect(screen.queryByText(/was restored/)).toBeNull();
});

const openNew = async (more: Answers = {}) => {
  const app = await renderApp('/workunitsv2?workUnitId=new&type=1', { ...answers(), ...more });
  await field('Title');
  return app;
};

it('has the focus in the title of a new unit', async () => {
  await openNew();
  expect(document.activeElement).toBe(await field('Title'));
});

it('[AUTH-010] keeps what was typed into a new unit, and where it was typed, when the session has ended', async () => {
  // There is no provider in this test, so the sign-in cannot be renewed.
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const first = await openNew({ 'PUT /v1/workUnits': refused(401, 'Your session has ended.') });
  await type('Title', 'Printer on fire');
  const shownBefore = screen.queryAllByText(/Invalid user input/).length;
  fireEvent.click(screen.getByText('Create', { selector: '.foot button' }));
  await screen.findByText('Your session has ended. Sign in again: what you typed is kept in this tab.');
  expect(first.router.state.location.pathname).toBe('/user/login');
  expect(new URLSearchParams(first.router.state.location.search).get('requestUrl')).toMatch(/workUnitId=new&type=1/);
  expect(screen.queryAllByText(/Invalid user input/).length).toBe(shownBefore);
  expect(warned.mock.calls.map(String)).toEqual([expect.stringMatching(/^The sign-in could not be renewed\.,Error: No authority/)]);
  warned.mockRestore();
  first.unmount();

  await openNew({ 'PUT /v1/workUnits': { ...unit, workUnitId: 8 } });
  await screen.findByText(/1 unsaved change was restored, typed/);
  expect((await field('Title')).value).toBe('Printer on fire');
  fireEvent.click(screen.getByText('Create', { selector: '.foot button' }));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
});

it('asks with the focus on the answer that keeps what was typed into a new unit', async () => {
  await openNew();
  await type('Title', 'Printer on fire');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('No'));
});
