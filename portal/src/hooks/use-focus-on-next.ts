import { useLayoutEffect, useRef } from 'react';

/**
 * Focuses the row that has taken the place of the focused one, when that has left the list, so that the next key goes on there; and when a
 * panel closes, the row of what it showed last, or the one in its place. `keyOf` and `find` map between the rows of this list on the page
 * and their keys; `openKey` is what an open panel shows, which need not be in the list, null without a panel.
 */
export function useFocusOnNext(
  keys: readonly string[],
  keyOf: (element: Element) => string | undefined,
  find: (key: string) => HTMLElement | undefined,
  openKey: string | null,
): void {
  const focused = useRef<{ key: string; at: number }>(undefined);
  const shown = useRef<{ key: string; at: number }>(undefined);
  useLayoutEffect(() => {
    const placeOf = (key: string | undefined) => (key === undefined ? undefined : { key, at: keys.indexOf(key) });
    const remember = ({ target }: FocusEvent) => {
      focused.current = placeOf(target instanceof Element ? keyOf(target) : undefined);
    };
    document.addEventListener('focusin', remember);
    const isLost = document.activeElement === null || document.activeElement === document.body;
    const closed = openKey === null ? shown.current : undefined;
    // The panel has given the focus back to the row from which it was opened.
    const isBack = closed && document.activeElement && keyOf(document.activeElement) !== undefined;
    const before = closed ?? focused.current;
    const next = before && (keys.includes(before.key) ? before.key : keys[Math.min(before.at, keys.length - 1)]);
    if (next !== undefined && (isLost || isBack) && (closed || next !== before?.key)) find(next)?.focus({ preventScroll: !closed });
    if (openKey === null) shown.current = undefined;
    else if (keys.includes(openKey)) shown.current = placeOf(openKey);
    return () => document.removeEventListener('focusin', remember);
  });
}
