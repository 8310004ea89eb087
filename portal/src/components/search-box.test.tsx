import '../testing/browser.ts';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { SearchBox } from './search-box.tsx';

it('keeps what is typed while an earlier search reaches the address, and takes over what a link or the back button searches', () => {
  vi.useFakeTimers();
  const searched: string[] = [];
  const onSearch = (text: string) => void searched.push(text);
  const box = (value: string) => <SearchBox label="Search" value={value} exact={false} onSearch={onSearch} debounceMs={300} />;
  const { rerender } = render(box(''));
  const input = screen.getByRole<HTMLInputElement>('searchbox');
  const type = (text: string) => {
    fireEvent.change(input, { target: { value: text } });
    act(() => void vi.advanceTimersByTime(300));
  };
  type('Boiler');
  type('Boiler 1');
  fireEvent.change(input, { target: { value: 'Boiler 12' } });
  rerender(box('Boiler'));
  expect(input.value).toBe('Boiler 12');
  rerender(box('Boiler 1'));
  expect(input.value).toBe('Boiler 12');
  act(() => void vi.advanceTimersByTime(300));
  rerender(box('Boiler 12'));
  expect(searched).toEqual(['Boiler', 'Boiler 1', 'Boiler 12']);

  for (const value of ['Pump', 'Boiler 12', '']) {
    rerender(box(value));
    expect(input.value).toBe(value);
  }
  vi.useRealTimers();
});

it('searches for the earlier text again when the later one is not in the address yet', () => {
  vi.useFakeTimers();
  const onSearch = vi.fn<(text: string) => void>();
  render(<SearchBox label="Search" value="" exact={false} onSearch={onSearch} debounceMs={300} />);
  const input = screen.getByRole('searchbox');
  for (const value of ['Boiler', '']) {
    fireEvent.change(input, { target: { value } });
    act(() => void vi.advanceTimersByTime(300));
  }
  vi.useRealTimers();
  expect(onSearch.mock.calls.map(([text]) => text)).toEqual(['Boiler', '']);
});
