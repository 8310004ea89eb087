import '../../testing/browser.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { confirm, Confirmations } from './confirm.tsx';
import { loadFloating } from './floating.tsx';

beforeEach(async () => {
  await loadFloating();
  render(<Confirmations />);
});
afterEach(cleanup);

it('[SHELL-071] an input of a question is marked as required, and asked for', async () => {
  const answer = confirm({ title: 'Decline', text: 'Why?', inputLabel: 'Reason' });
  const input = await screen.findByLabelText(/Reason/);
  expect(document.activeElement).toBe(input);
  expect(input.getAttribute('aria-required')).toBe('true');
  fireEvent.click(screen.getByRole('button', { name: 'Yes' }));
  expect(await screen.findByText('This field is required.')).toBeTruthy();
  expect(input.getAttribute('aria-invalid')).toBe('true');
  fireEvent.change(input, { target: { value: ' Too late. ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Yes' }));
  expect(await answer).toEqual({ yes: true, input: 'Too late.' });
});

it('answers yes on Ctrl Enter from its field', async () => {
  const answer = confirm({ title: 'Decline', text: 'Why?', inputLabel: 'Reason' });
  const input = await screen.findByLabelText(/Reason/);
  fireEvent.change(input, { target: { value: 'Too late.' } });
  fireEvent.keyDown(input, { key: 'Enter', ctrlKey: true });
  expect(await answer).toEqual({ yes: true, input: 'Too late.' });
});

it('answers no on Escape, and to a second question meanwhile', async () => {
  const answer = confirm({ title: 'Delete', text: 'Sure?' });
  expect(await confirm({ title: 'Another', text: 'Sure?' })).toEqual({ yes: false });
  fireEvent.keyDown(await screen.findByRole('dialog', { name: 'Delete' }), { key: 'Escape' });
  expect(await answer).toEqual({ yes: false });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
