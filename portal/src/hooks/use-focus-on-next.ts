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
  const focused = useRef<readonly [key: string, at: number]>(undefined);
  const shown = useRef<readonly [key: string, at: number]>(undefined);
  useLayoutEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      const key = target instanceof Element ? keyOf(target) : undefined;
      focused.current = key === undefined ? undefined : [key, keys.indexOf(key)];
    };
    document.addEventListener('focusin', remember);
    const active = document.activeElement ?? document.body;
    const closed = openKey === null ? shown.current : undefined;
    const [key, at] = closed ?? focused.current ?? [];
    // A panel that closes may have given the focus back to the row from which it was opened.
    if (key !== undefined && at !== undefined && (active === document.body || (closed && keyOf(active))) && (closed || !keys.includes(key)))
      find(keys.includes(key) ? key : (keys[Math.min(at, keys.length - 1)] ?? ''))?.focus({ preventScroll: true });
    if (openKey === null || keys.includes(openKey)) shown.current = openKey === null ? undefined : [openKey, keys.indexOf(openKey)];
    return () => document.removeEventListener('focusin', remember);
  });
}
