/** Pages of what does not fit on a wall screen. */
import '../../testing/browser.ts';
import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { OnWall, pageStarts, useWallPages } from './wall-pages.tsx';

const rows = (count: number, height: number) =>
  Array.from({ length: count }, (_, at) => ({ top: at * height, bottom: at * height + height - 8 }));

it('pages begin with a whole row, and show each row whole once', () => {
  expect(pageStarts(rows(5, 200), 1_000)).toEqual([0]);
  expect(pageStarts(rows(12, 200), 1_000)).toEqual([0, 1_000, 2_000]);
  expect(pageStarts(rows(6, 300), 1_000)).toEqual([0, 900]);
  // Cells of one row in any order, and a tile that is higher than the screen.
  expect(pageStarts([...rows(6, 300).toReversed(), ...rows(6, 300)], 1_000)).toEqual([0, 900]);
  expect(pageStarts([{ top: 100, bottom: 2_300 }], 1_000)).toEqual([0, 100, 1_100, 2_100]);
  // Nothing has a size yet.
  expect(pageStarts(rows(3, 100), 0)).toEqual([0, 100, 200]);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function List() {
  const [pages, page] = useWallPages('li');
  return (
    <>
      <ul ref={pages}>
        {rows(12, 200).map(({ top }) => (
          <li key={top}>{top}</li>
        ))}
      </ul>
      {page}
    </>
  );
}

/** Gives the list a window of 1,000 pixels, and each item 200. */
function layOut() {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(1_000);
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const list = this.closest('ul');
    const top = this === list ? 0 : Number(this.textContent) - (list?.scrollTop ?? 0);
    return { top, bottom: top + 192 } as DOMRect;
  });
}

it('turn by themselves on a wall, and say where they are', () => {
  vi.useFakeTimers();
  layOut();
  render(
    <OnWall value>
      <List />
    </OnWall>,
  );
  const list = screen.getByRole('list');
  const turn = () => act(() => void vi.advanceTimersByTime(12_000));
  for (const [page, top] of [
    [2, 1_000],
    [3, 2_000],
    [1, 0],
  ]) {
    turn();
    expect(screen.getByText(`Page ${page} of 3`)).toBeTruthy();
    expect(list.scrollTop).toBe(top);
  }
});

it('are for walls alone', () => {
  vi.useFakeTimers();
  layOut();
  render(<List />);
  act(() => void vi.advanceTimersByTime(60_000));
  expect([screen.queryByText(/^Page/), screen.getByRole('list').scrollTop]).toEqual([null, 0]);
});
