import '../../testing/browser.ts';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { choicesOf, Select } from './select.tsx';

afterEach(cleanup);

const weeks = choicesOf([1, 2], { 1: 'One week', 2: 'Two weeks' });
const labels = () => [...screen.getByRole<HTMLSelectElement>('combobox').options].map(({ text }) => text);

it('answers with the value of the choice, not with its text', () => {
  const onChange = vi.fn<(value: number) => void>();
  render(<Select aria-label="Weeks" className="weeks" value={1} choices={weeks} onChange={onChange} />);
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Weeks' });
  expect([select.value, select.className]).toEqual(['1', 'input weeks']);
  fireEvent.change(select, { target: { value: '2' } });
  expect(onChange.mock.calls).toEqual([[2]]);
});

it('offers the empty value only with a text for it', () => {
  const onChange = vi.fn<(value: number | '') => void>();
  render(<Select aria-label="Weeks" value={1} none="Any" choices={weeks} onChange={onChange} />);
  expect(labels()).toEqual(['Any', 'One week', 'Two weeks']);
  fireEvent.change(screen.getByRole('combobox'), { target: { value: '' } });
  expect(onChange.mock.calls).toEqual([['']]);
});

it('shows a value that is not offered under its text, until another is chosen', () => {
  const select = (value: number) => (
    <Select aria-label="Weeks" value={value} unlisted="Removed" choices={weeks} onChange={vi.fn<(next: number) => void>()} />
  );
  const { rerender } = render(select(5));
  expect(labels()).toEqual(['Removed', 'One week', 'Two weeks']);
  expect(screen.getByRole<HTMLSelectElement>('combobox').value).toBe('5');
  rerender(select(2));
  expect(labels()).toEqual(['One week', 'Two weeks']);
});

it('offers nothing first, and then the value that is not offered', () => {
  render(
    <Select aria-label="Weeks" value={5} none="Any" unlisted="Removed" choices={weeks} onChange={vi.fn<(next: number | '') => void>()} />,
  );
  expect(labels()).toEqual(['Any', 'Removed', 'One week', 'Two weeks']);
});
