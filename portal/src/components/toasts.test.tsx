import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { toast, Toasts } from './toasts.tsx';

const pass = (milliseconds: number) =>
  act(() => {
    vi.advanceTimersByTime(milliseconds);
  });

beforeEach(() => {
  vi.useFakeTimers();
  render(<Toasts />);
});
afterEach(() => {
  pass(60_000);
  cleanup();
  vi.useRealTimers();
});

it('[SHELL-057] hides by itself after 6000 ms', async () => {
  act(() => toast.success('Saved.'));
  pass(5_999);
  await proves('[SHELL-054] stays open until then', () => screen.getByText('Saved.'));
  pass(2);
  await proves('[SHELL-058] is closed then', () => expect(screen.queryByText('Saved.')).toBeNull());
});
it('[SHELL-055] has four severities', () => {
  act(() => {
    for (const severity of ['success', 'error', 'warning', 'info'] as const) toast[severity](severity);
  });
  for (const severity of ['success', 'error', 'warning', 'info'])
    expect(screen.getByText(severity).closest('.toast')?.className).toContain(severity);
});
it('[SHELL-056] closes on demand', () => {
  act(() => toast.info('Hello'));
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByText('Hello')).toBeNull();
});
it('may stay longer', () => {
  act(() => toast.error('No.', { durationMs: 8_000 }));
  pass(7_999);
  expect(screen.queryByText('No.')).not.toBeNull();
});

it('gives the focus to the newest message by F8, to its action first, and back when it closes', () => {
  const field = document.body.appendChild(document.createElement('input'));
  field.focus();
  act(() => {
    toast.info('Hello');
    toast.success('Promoted.', { action: { label: 'Open device', href: '/devices', run: () => undefined } });
  });
  fireEvent.keyDown(field, { key: 'F8' });
  const action = screen.getByRole('link', { name: 'Open device' });
  expect(document.activeElement).toBe(action);
  pass(10_000);
  fireEvent.keyDown(action, { key: 'Escape' });
  expect(screen.queryByText('Promoted.')).toBeNull();
  expect(document.activeElement).toBe(field);
  field.remove();
});

it('moves above a box to write in that grows while it shows', () => {
  const box = document.body.appendChild(document.createElement('textarea'));
  const region = screen.getByRole('region', { name: 'Notifications' });
  const rect = (top: number, bottom: number) => new DOMRect(0, top, 390, bottom - top);
  vi.spyOn(region, 'getBoundingClientRect').mockImplementation(() => rect(700, 746));
  const spot = vi.spyOn(box, 'getBoundingClientRect').mockReturnValue(rect(100, 200));
  act(() => toast.success('Note added.'));
  expect(region.style.bottom).toBe('16px');
  spot.mockReturnValue(rect(innerHeight - 100, innerHeight));
  pass(200);
  expect(region.style.bottom).toBe('108px');
  box.remove();
});
