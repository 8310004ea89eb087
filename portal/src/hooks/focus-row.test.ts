import '../testing/browser.ts';
import { fireEvent, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { focusRow } from './focus-row.ts';

const focused = () => document.activeElement?.getAttribute('data-row');
const addRow = (key: string) =>
  document.querySelector('tbody')?.insertAdjacentHTML('beforeend', `<tr data-row="${key}" tabindex="-1"><td>${key}</td></tr>`);

beforeEach(() => {
  document.body.innerHTML = '<input /><table><tbody></tbody></table>';
  addRow('first');
});

it('focuses a row that is there, and one that comes later; Tab leads back to that one', async () => {
  focusRow('first');
  expect(focused()).toBe('first');
  focusRow('second');
  expect(focused()).toBe('first');
  addRow('second');
  await waitFor(() => expect(focused()).toBe('second'));
  expect([...document.querySelectorAll<HTMLElement>('tr')].map((row) => row.tabIndex)).toEqual([-1, 0]);
});

it('waits no longer when the person goes on, and takes the focus from no other control', async () => {
  focusRow('second');
  fireEvent.keyDown(document.body, { key: 'Tab' });
  addRow('second');
  focusRow('third');
  document.querySelector('input')?.focus();
  addRow('third');
  // After this microtask, the observers have been notified of both rows.
  await new Promise<void>((resolve) => queueMicrotask(resolve));
  expect(document.activeElement).toBe(document.querySelector('input'));
  document.querySelector('input')?.blur();
  focusRow('fourth');
  addRow('fourth');
  await waitFor(() => expect(focused()).toBe('fourth'));
});
