/** The panel of a device's operations, in the address as `operations`, and what is open over it. */
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

/** Of the panels over it, each under a name that goes with the panel itself. */
export const overParam = {
  /** The device operation that is configured. */
  edit: `${panelPrefix}operation`,
  /** The operation of the catalog that a new one is made of. */
  create: `${panelPrefix}new`,
  add: `${panelPrefix}add`,
  logs: `${panelPrefix}logs`,
  packets: `${panelPrefix}packets`,
  clone: `${panelPrefix}clone`,
} as const;
type Over = keyof typeof overParam;

const disabledParam = `${panelPrefix}disabled`;
const ownPanels = ['operations'];

/** What belongs to the list stays; all else that a panel over it keeps goes. */
function dropOver(params: URLSearchParams, ...keep: readonly string[]): undefined {
  const closedPanels = [...params.keys()].filter((name) => name.startsWith(panelPrefix) && name !== disabledParam && !keep.includes(name));
  for (const name of closedPanels) params.delete(name);
}

export function useOperationPanels() {
  const [params] = useSearchParams();
  const change = useAddress();
  const { close } = usePanelParams(ownPanels);
  const moves = useMemo(
    () => ({
      /** What creates lies over the catalog; everything else alone over the list. */
      open: (name: Over, value: string) =>
        change(
          (next) => {
            dropOver(next, ...(name === 'create' ? [overParam.add] : []));
            next.set(overParam[name], value);
            return undefined;
          },
          { now: true },
        ),
      leave: (name: Over) => change((next) => dropOver(next, ...(name === 'create' ? [overParam.add] : [])), { now: true }),
      showDisabled: (shown: boolean) =>
        change(
          (next) => {
            if (shown) next.set(disabledParam, 'show');
            else next.delete(disabledParam);
            return undefined;
          },
          { replace: true, now: true },
        ),
      /** What was typed is saved. `isHidden`: it shows among the disabled only. */
      saved: ({ isHidden = false } = {}) =>
        change(
          (next) => {
            dropOver(next);
            if (isHidden) next.set(disabledParam, 'show');
            return undefined;
          },
          { saved: true, now: true },
        ),
    }),
    [change],
  );
  const shown = (name: Over) => params.get(overParam[name]);
  return { shown, showsDisabled: params.has(disabledParam), ...moves, close };
}
