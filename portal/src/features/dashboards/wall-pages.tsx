/** Turns the pages of what does not fit on a wall screen, where nobody scrolls, and says which one is shown. */
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';

/** How long a page is shown. */
const pageMs = 12_000;

/** Whether a part is on a wall screen. */
export const OnWall = createContext(false);

interface Extent {
  top: number;
  bottom: number;
}

/** Where each page begins, so that an item is cut only if it is higher than a page. */
export function pageStarts(items: readonly Extent[], height: number): number[] {
  const starts = [0];
  let start = 0;
  const begin = (at: number) => {
    start = at;
    starts.push(at);
  };
  for (const { top, bottom } of items.toSorted((a, b) => a.top - b.top)) {
    // Places are fractions of pixels.
    const isCut = () => bottom > start + height + 1;
    if (isCut() && top > start) begin(top);
    while (height > 0 && isCut()) begin(start + height);
  }
  return starts;
}

function startsIn(element: HTMLElement, items: string): number[] {
  const origin = element.getBoundingClientRect().top - element.scrollTop;
  const extents = [...element.querySelectorAll(items)].map((item) => {
    const { top, bottom } = item.getBoundingClientRect();
    return { top: top - origin, bottom: bottom - origin };
  });
  return pageStarts(extents, element.clientHeight);
}

/** For an element whose items (a selector) may not all fit: its ref, and what to show beside it. */
export function useWallPages(items: string): [ref: (element: HTMLElement | null) => (() => void) | undefined, note: ReactNode] {
  const isOnWall = useContext(OnWall);
  const [page, setPage] = useState({ at: 0, of: 1 });
  const ref = useCallback(
    (element: HTMLElement | null) => {
      if (!element || !isOnWall) return undefined;
      let at = 0;
      const show = (turn: number) => {
        const starts = startsIn(element, items);
        at = (at + turn) % starts.length;
        element.scrollTop = starts[at] ?? 0;
        setPage((before) => (before.at === at && before.of === starts.length ? before : { at, of: starts.length }));
      };
      const observer = new ResizeObserver(() => show(0));
      observer.observe(element);
      const timer = setInterval(() => show(1), pageMs);
      return () => {
        observer.disconnect();
        clearInterval(timer);
      };
    },
    [isOnWall, items],
  );
  const note = page.of > 1 && <p className="wall-page num">{dashboardTexts.wall.page(page.at + 1, page.of)}</p>;
  return [ref, note];
}
