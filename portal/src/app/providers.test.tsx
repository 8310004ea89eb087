import '../testing/browser.ts';
import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { request } from '../api/client.ts';
import { Providers } from './providers.tsx';

afterEach(() => vi.useRealTimers());

it('[LIM-001] the access-denied toast shows for 8000 ms', async () => {
  vi.useFakeTimers();
  globalThis.fetch = async () => Response.json({ error: { code: 'X', message: 'No.' } }, { status: 403 });
  render(<Providers>{null}</Providers>);
  await act(() => request('/v1/rules').catch(() => undefined));
  const isShown = () => screen.queryByText('You do not have access to one or more requested resources') !== null;
  const pass = (milliseconds: number) =>
    act(() => {
      vi.advanceTimersByTime(milliseconds);
    });
  expect(isShown()).toBe(true);
  pass(7_999);
  expect(isShown()).toBe(true);
  pass(1);
  expect(isShown()).toBe(false);
});
