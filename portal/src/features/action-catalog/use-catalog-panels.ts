/** The panels that test or delete an action, in the address as `testOf` and `deleteOf`. */
import { useSearchParams } from 'react-router';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

const panels = ['testOf', 'deleteOf'] as const;
export type CatalogPanel = (typeof panels)[number];

export function useCatalogPanels() {
  const [params] = useSearchParams();
  return { testOf: params.get('testOf'), deleteOf: params.get('deleteOf'), ...usePanelParams(panels) };
}
