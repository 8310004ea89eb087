import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { theme } from '../../theme/theme.ts';
import { renderApp, tenantId } from '../../testing/render-app.tsx';

let width = 1440;
const listeners = new Set<() => void>();
const menu = () => screen.queryByRole('navigation', { name: 'Main menu' });

function resize(to: number) {
  act(() => {
    width = to;
    for (const listener of listeners) listener();
  });
}

beforeEach(() => {
  localStorage.clear();
  width = 1440;
  vi.stubGlobal('matchMedia', (query: string) => ({
    get matches() {
      return width >= Number(/min-width: (\d+)px/.exec(query)?.[1]);
    },
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
  }));
});
afterEach(() => vi.unstubAllGlobals());

it('the menu is open by default and collapses by itself below 1266 px', async () => {
  await renderApp(`/${tenantId}/locations`);
  await proves('[SHELL-044] is open', () => waitFor(() => expect(menu()).not.toBeNull()));
  await proves('[SHELL-046] collapses when it is narrower', async () => {
    resize(1266);
    expect(menu()).not.toBeNull();
    resize(1265);
    await waitFor(() => expect(menu()).toBeNull());
    resize(1266);
    await waitFor(() => expect(menu()).not.toBeNull());
  });
});

it('[SHELL-047] on medium and smaller screens the menu lies over the page and goes when something is chosen', async () => {
  const { router } = await renderApp(`/${tenantId}/locations`);
  for (const medium of [1265, 1024, 390]) {
    resize(medium);
    fireEvent.click(await screen.findByRole('button', { name: 'Open menu' }));
    const overPage = await screen.findByRole('dialog', { name: 'Main menu' });
    fireEvent.click(await within(overPage).findByRole('link', { name: 'Rules' }));
    await waitFor(() => expect(menu()).toBeNull());
    await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/rules`));
  }
});

it('on large screens the menu stands beside the page, and closes and opens by its buttons, which keep the focus', async () => {
  await renderApp(`/${tenantId}/locations`);
  await waitFor(() => expect(menu()).not.toBeNull());
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(document.body);
  fireEvent.click(screen.getByRole('button', { name: 'Close menu' }));
  expect(menu()).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open menu' }));
  fireEvent.click(screen.getByRole('button', { name: 'Open menu' }));
  expect(menu()).not.toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Close menu' }));
});

it('[SHELL-048] the breakpoints are xs 0, sm 768, md 1024, lg 1266, xl 1536', () => {
  expect(theme.breakpoints.values).toEqual({ xs: 0, sm: 768, md: 1024, lg: 1266, xl: 1536 });
});
