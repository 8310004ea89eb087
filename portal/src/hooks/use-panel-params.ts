import { useCallback } from 'react';
import { useAddress } from './use-address.ts';
import { dropPanelParts } from './use-panel.ts';

interface PanelParams<N extends string> {
  open: (name: N, key: string) => void;
  close: (options?: { saved?: boolean }) => void;
}

/**
 * Opens and closes the panels of a screen besides the row's panel, each in its own parameter of the address. Opening one closes
 * all other panels and removes their parameters (`panel.…`). `names` must stay the same array.
 */
export function usePanelParams<N extends string>(names: readonly N[]): PanelParams<N> {
  const change = useAddress();
  const open = useCallback(
    (name: N, key: string) =>
      change(
        (next) => {
          dropPanelParts(next);
          for (const other of ['id', 'tab', ...names]) next.delete(other);
          next.set(name, key);
          return undefined;
        },
        { now: true },
      ),
    [change, names],
  );
  const close = useCallback(
    (options: { saved?: boolean } = {}) =>
      change(
        (next) => {
          dropPanelParts(next);
          for (const name of ['tab', ...names]) next.delete(name);
          return undefined;
        },
        { saved: options.saved === true, now: true },
      ),
    [change, names],
  );
  return { open, close };
}
