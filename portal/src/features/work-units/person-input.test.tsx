import '../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { renderApp } from '../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from './panel.fixtures.ts';

beforeAll(loadPanel);
beforeEach(() => localStorage.clear());
afterEach(() => vi.useRealTimers());

it('[LIM-020] people are searched 400 ms after the last key', async () => {
  const { calls } = await renderApp(
    '/workunitsv2?workUnitId=7',
    answersFor({ ...incident, assignedTo: null }, { 'GET /api/people': [{ displayName: 'Jonas Feld', mail: 'jonas@northwind.example' }] }),
  );
  const box = await screen.findByLabelText('Assigned To');
  const searches = () => calls.filter((call) => call.path === '/api/people').map((call) => call.query.get('searchTerm'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.change(box, { target: { value: 'jo' } });
  await vi.advanceTimersByTimeAsync(300);
  fireEvent.change(box, { target: { value: 'jon' } });
  await vi.advanceTimersByTimeAsync(399);
  expect(searches()).toEqual([]);
  await vi.advanceTimersByTimeAsync(51);
  vi.useRealTimers();
  await waitFor(() => expect(searches()).toEqual(['jon']));
  fireEvent.click(await screen.findByRole('option', { name: /Jonas Feld/ }));
  expect(screen.getByLabelText<HTMLInputElement>('Assigned To').value).toBe('Jonas Feld');
});
