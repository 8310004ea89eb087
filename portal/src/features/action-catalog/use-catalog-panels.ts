/** The panels that try an action or delete it, in the address as `testOf` and `deleteOf`. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../resource/use-address.ts';

const panels = ['testOf', 'deleteOf'] as const;
export type CatalogPanel = (typeof panels)[number];

export function useCatalogPanels() {
  const [params] = useSearchParams();
  const change = useAddress();
  const open = useCallback(
    (panel: CatalogPanel, actionDefinitionId: string) =>
      change(
        (next) => {
          for (const name of ['id', 'tab', ...panels]) next.delete(name);
          next.set(panel, actionDefinitionId);
          return undefined;
        },
        { now: true },
      ),
    [change],
  );
  const close = useCallback(
    () =>
      change(
        (next) => {
          for (const name of panels) next.delete(name);
          return undefined;
        },
        { now: true },
      ),
    [change],
  );
  return { testOf: params.get('testOf'), deleteOf: params.get('deleteOf'), open, close };
}
