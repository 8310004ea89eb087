import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { CopyId } from './chips.tsx';
import { copyText } from './copy.ts';
import { ReadOnlyField } from './read-only-field.tsx';
import { Toasts } from './toasts.tsx';

const written: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  written.length = 0;
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void written.push(text) } });
});
afterEach(() => {
  act(() => {
    vi.advanceTimersByTime(60_000);
  });
  cleanup();
  vi.useRealTimers();
});

const settle = () => act(async () => undefined);

it('[SHELL-077] a copy action says that it is done', async () => {
  render(<Toasts />);
  await act(() => copyText('https://example.com'));
  expect(written).toEqual(['https://example.com']);
  expect(screen.getByText('Content copied successfully!')).toBeTruthy();
});

it('[SHELL-079] a copied id shows an info toast', async () => {
  render(
    <>
      <CopyId id="7b7c" label="Device" />
      <Toasts />
    </>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Copy Device 7b7c' }));
  await settle();
  expect(written).toEqual(['7b7c']);
  expect(screen.getByText('Copied 7b7c').closest('.toast')?.className).toContain('info');
});

it('a copied read-only value says so in a tooltip for 1000 ms', async () => {
  render(<ReadOnlyField kind="text" label="Created by" value="Mara Okafor" />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy Created by' }));
  await settle();
  expect(written).toEqual(['Mara Okafor']);
  await proves('[SHELL-078] says so', () => screen.getByText('Content copied to clipboard'));
  await proves('[SHELL-080] for a second', () => {
    act(() => {
      vi.advanceTimersByTime(999);
    });
    expect(screen.queryByText('Content copied to clipboard')).not.toBeNull();
    act(() => {
      vi.advanceTimersByTime(1);
    });
    expect(screen.queryByText('Content copied to clipboard')).toBeNull();
  });
});

it('[SHELL-072] a read-only enumeration needs its type, and shows its label', () => {
  const choices = [{ value: 1, label: 'Ingestion' }];
  render(<ReadOnlyField kind="enum" label="Rule type" value={1} choices={choices} />);
  expect(screen.getByText('Ingestion')).toBeTruthy();
  // @ts-expect-error the compiler refuses an enumeration without its choices
  const without = () => <ReadOnlyField kind="enum" label="Rule type" value={1} />;
  expect(without).toBeTypeOf('function');
});
