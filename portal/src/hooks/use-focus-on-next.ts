import { useLayoutEffect, useRef } from 'react';

/**
 * Focuses the row that has taken the place of the focused one, when that has left the list, so that the next key goes on there. `keyOf` and
 * `find` map between the rows of this list on the page and their keys.
 */
export function useFocusOnNext(
  keys: readonly string[],
  keyOf: (element: Element) => string | undefined,
  find: (key: string) => HTMLElement | undefined,
): void {
  const last = useRef<{ key: string; at: number }>(undefined);
  useLayoutEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      const key = target instanceof Element ? keyOf(target) : undefined;
      last.current = key === undefined ? undefined : { key, at: keys.indexOf(key) };
    };
    document.addEventListener('focusin', remember);
    const before = last.current;
    const next = keys[Math.min(before?.at ?? 0, keys.length - 1)];
    if (before && next !== undefined && !keys.includes(before.key) && document.activeElement === document.body)
      find(next)?.focus({ preventScroll: true });
    return () => document.removeEventListener('focusin', remember);
  });
}
