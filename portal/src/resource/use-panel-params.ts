import { useCallback } from 'react';
import { useAddress } from './use-address.ts';

/**
 * Panels of a screen's own beside the row's, each under a parameter of the address. Opening one closes the row's and the others;
 * `names` must stay the same array.
 */
export function usePanelParams<N extends string>(names: readonly N[]): { open: (name: N, key: string) => void; close: () => void } {
  const change = useAddress();
  const open = useCallback(
    (name: N, key: string) =>
      change(
        (next) => {
          for (const other of ['id', 'tab', ...names]) next.delete(other);
          next.set(name, key);
          return undefined;
        },
        { now: true },
      ),
    [change, names],
  );
  const close = useCallback(
    () =>
      change(
        (next) => {
          for (const name of names) next.delete(name);
          return undefined;
        },
        { now: true },
      ),
    [change, names],
  );
  return { open, close };
}
