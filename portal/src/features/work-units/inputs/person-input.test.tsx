import '../../../testing/browser.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { queryClient } from '../../../api/query-client.ts';
import { UnitPersonInput } from './person-input.tsx';

function Assignee() {
  const [value, setValue] = useState<unknown>(null);
  const rest = { onBlur: () => undefined, setValue: () => undefined, disabled: false, values: {} };
  return (
    <UnitPersonInput name="assignedTo" field={workUnits.fields.assignedTo} aria={{ id: 'x' }} {...rest} value={value} onChange={setValue} />
  );
}

afterEach(() => vi.useRealTimers());

it('[LIM-020] people are searched 400 ms after the last key', async () => {
  const searches: (string | null)[] = [];
  globalThis.fetch = (input) => {
    const { pathname, searchParams } = new URL(String(input), 'http://localhost');
    if (pathname !== '/api/people') return Promise.resolve(Response.json({ name: 'Mara', userName: 'mara@northwind.example' }));
    searches.push(searchParams.get('searchTerm'));
    return Promise.resolve(Response.json([{ displayName: 'Jonas Feld', mail: 'jonas@northwind.example' }]));
  };
  render(
    <QueryClientProvider client={queryClient}>
      <Assignee />
    </QueryClientProvider>,
  );
  const box = screen.getByRole<HTMLInputElement>('combobox');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.change(box, { target: { value: 'jo' } });
  await vi.advanceTimersByTimeAsync(300);
  fireEvent.change(box, { target: { value: 'jon' } });
  await vi.advanceTimersByTimeAsync(399);
  expect(searches).toEqual([]);
  await vi.advanceTimersByTimeAsync(51);
  vi.useRealTimers();
  await waitFor(() => expect(searches).toEqual(['jon']));
  fireEvent.click(await screen.findByRole('option', { name: /Jonas Feld/ }));
  expect(box.value).toBe('Jonas Feld');
});
