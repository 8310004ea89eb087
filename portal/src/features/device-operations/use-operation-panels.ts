/** The panel of a device's operations, in the address as `operations`, and the panels over it. */
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

/** Parameters of the panels over the list; closing the list removes them. */
export const overParam = {
  /** The device operation being configured. */
  edit: `${panelPrefix}operation`,
  /** The operation of the catalog from which a device operation is created. */
  create: `${panelPrefix}new`,
  add: `${panelPrefix}add`,
  logs: `${panelPrefix}logs`,
  runs: `${panelPrefix}runs`,
  packets: `${panelPrefix}packets`,
  clone: `${panelPrefix}clone`,
} as const;
type PanelOverList = keyof typeof overParam;

const disabledParam = `${panelPrefix}disabled`;
const ownPanels = ['operations'];

/** Removes the parameters of the panels over the list, except `keep`. The parameters of the list itself stay. */
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
      /** The form of a new operation lies over the catalog; every other panel lies directly over the list. */
      open: (name: PanelOverList, value: string) =>
        change(
          (next) => {
            dropOver(next, ...(name === 'create' ? [overParam.add] : []));
            next.set(overParam[name], value);
            return undefined;
          },
          { now: true },
        ),
      leave: (name: PanelOverList) => change((next) => dropOver(next, ...(name === 'create' ? [overParam.add] : [])), { now: true }),
      showDisabled: (shown: boolean) =>
        change(
          (next) => {
            if (shown) next.set(disabledParam, 'show');
            else next.delete(disabledParam);
            return undefined;
          },
          { replace: true, now: true },
        ),
      /**
       * Closes the panels over the list after a save. `isHidden`: the saved row is disabled, so the list shows disabled rows.
       */
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
  const shown = (name: PanelOverList) => params.get(overParam[name]);
  return { shown, showsDisabled: params.has(disabledParam), ...moves, close };
}
