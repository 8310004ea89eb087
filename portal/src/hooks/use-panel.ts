import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from './use-address.ts';

export const newId = 'new';

/** Prefix of the parameters that an open panel uses besides its tab; they are removed with it. */
export const panelPrefix = 'panel.';

export function dropPanelParts(params: URLSearchParams): void {
  const parts = [...params.keys()].filter((name) => name.startsWith(panelPrefix));
  for (const name of parts) params.delete(name);
}

/** The open panel, kept in the address under `param`. */
export function usePanel(param = 'id') {
  const [params] = useSearchParams();
  const change = useAddress();
  const id = params.get(param);

  const open = useCallback(
    (key: string, tab?: string) => {
      change(
        (next) => {
          dropPanelParts(next);
          next.set(param, key);
          if (tab) next.set('tab', tab);
          else next.delete('tab');
          return undefined;
        },
        { now: true },
      );
    },
    [param, change],
  );

  const close = useCallback(
    (options: { saved?: boolean } = {}) => {
      change(
        (next) => {
          dropPanelParts(next);
          for (const name of [param, 'tab', 'type']) next.delete(name);
          return undefined;
        },
        { saved: options.saved === true, now: true },
      );
    },
    [param, change],
  );

  return { id, open, close };
}
