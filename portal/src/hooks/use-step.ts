import { useLayoutEffect, useRef } from 'react';

/**
 * Returns a function that finds the key after or before the open one; undefined at the ends. When the open one has left the list, the
 * one that took its place comes next.
 */
export function useStep(keys: readonly string[], openKey: string | null): (by: 1 | -1) => string | undefined {
  /** Where the open one is, or was before it left. */
  const openAt = useRef(-1);
  const at = openKey === null ? -1 : keys.indexOf(openKey);
  useLayoutEffect(() => {
    if (openKey === null) openAt.current = -1;
    else if (at >= 0) openAt.current = at;
  }, [at, openKey]);
  return (by) => keys[(at >= 0 ? at : by > 0 ? openAt.current - 1 : openAt.current) + by];
}
