import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import './settings-panel.tsx';
import { renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

async function openSettings() {
  const app = await renderApp(`/${tenantId}/nothing-here?show=settings`);
  return { ...app, panel: within(await screen.findByRole('dialog', { name: 'Settings' })) };
}

it('[SET-002] Appearance switches between light and dark, and back', async () => {
  document.documentElement.dataset['theme'] = 'light';
  const { panel } = await openSettings();
  const dark = within(panel.getByRole('region', { name: 'Appearance' })).getByRole('switch', { name: 'Dark mode' });
  fireEvent.click(dark);
  expect(document.documentElement.dataset['theme']).toBe('dark');
  fireEvent.click(dark);
  expect(document.documentElement.dataset['theme']).toBe('light');
});

it('[SET-003] has the section Intake Panel Settings', async () => {
  const { panel } = await openSettings();
  expect(panel.getByRole('region', { name: 'Intake Panel Settings' })).toBeTruthy();
  expect(panel.getByRole('heading', { name: 'Intake Panel Settings' })).toBeTruthy();
});

/** Expects that the setting is off by default, and that the browser stores it under `key`. */
const expectKept = async (name: string, key: string) => {
  const { panel, unmount } = await openSettings();
  const setting = panel.getByRole('switch', { name });
  expect((setting as HTMLInputElement).checked).toBe(false);
  fireEvent.click(setting);
  expect(localStorage.getItem(key)).toBe('true');
  unmount();
  const again = await openSettings();
  expect((again.panel.getByRole('switch', { name }) as HTMLInputElement).checked).toBe(true);
  fireEvent.click(again.panel.getByRole('switch', { name }));
  expect(localStorage.getItem(key)).toBe('false');
};

it('[SET-005][SET-015] Disable Drafts', () => expectKept('Disable Drafts', 'cloudfit.intake.disableDrafts'));
it('[SET-008][SET-016] Sort Tenants by Recent/Favorite', () =>
  expectKept('Sort Tenants by Recent/Favorite', 'cloudfit.intake.sortByFavorites'));
it('[SET-009][SET-014] Hide Title Field', () => expectKept('Hide Title Field', 'cloudfit.intake.hideTitle'));

it('[SET-004] Intake Panel Settings are kept in the browser alone: the server hears nothing of them', async () => {
  const { panel, calls } = await openSettings();
  for (const setting of panel.getAllByRole('switch')) fireEvent.click(setting);
  expect(calls.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('saves the choice of language and region for the person', async () => {
  const locale = { language: null, timeZone: 'Europe/Berlin', weekStart: null, format: null };
  localStorage.setItem('cloudfit.locale', JSON.stringify(locale));
  const user = { personId: 'p1', name: 'Mara', userName: 'mara@northwind.example', tenantId, subscriptionId: null, photo: null, locale };
  const { calls } = await renderApp(`/${tenantId}/nothing-here?show=settings`, {
    'GET /v1/currentUser': user,
    'PUT /v1/currentUser/locale': locale,
  });
  const region = within(await screen.findByRole('region', { name: 'Language and region' }));
  await waitFor(() => expect((region.getByLabelText('Time zone') as HTMLSelectElement).value).toBe('Europe/Berlin'));
  const week = region.getByLabelText('First day of the week');
  fireEvent.change(week, { target: { value: '6' } });
  await waitFor(() => expect(calls.find(({ method }) => method === 'PUT')?.body).toEqual({ ...locale, weekStart: 6 }));
  await waitFor(() => expect((week as HTMLSelectElement).disabled).toBe(false));
  fireEvent.change(region.getByLabelText('Language'), { target: { value: 'de' } });
  await waitFor(() => expect(calls.filter(({ method }) => method === 'PUT').at(-1)?.body).toEqual({ ...locale, language: 'de' }));
});
