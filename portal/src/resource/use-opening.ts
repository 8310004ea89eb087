/** What happens on pointer-down and on a click on a row. */
import { useCallback, useEffect, useMemo } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { atFirstInput } from '../components/overlay/floating.tsx';
import { useOpenWhenLoaded } from '../hooks/use-open-when-loaded.ts';
import type { usePanel } from '../hooks/use-panel.ts';
import { keyOf } from '../rows/row.ts';
import { loadGenericPanel } from './list-panel.tsx';
import { formTab } from './panel-tabs.tsx';
import type { View } from './view.ts';

export interface RowOpening<T> {
  /** The address of a row, for another browser tab. */
  href: (row: T) => string;
  open: (row: T) => void;
  /** Opens the form of a row, where a click on the row opens another tab of the panel. */
  edit?: (row: T) => void;
  /** On pointer-down: starts loading what the click will need. */
  press?: (row: T) => void;
}

/** The time between the first render of a list and the loading of its panel's code, where no movement comes before a tap. */
const preloadMs = 600;

/** Loads the code of a panel before the first click: when the pointer moves or a key is pressed; on a touch screen soon anyway. */
function beforeFirstClick(load: () => void): () => void {
  if (!window.matchMedia('(hover: none)').matches) return atFirstInput(load);
  const timer = setTimeout(load, preloadMs);
  return () => clearTimeout(timer);
}

interface PanelOptions<T> {
  /** The field that identifies a row in the address; by default the key. */
  name?: (row: T) => string;
  /** Starts loading the panel's data. */
  load?: (row: T) => Promise<unknown>;
}

/** Opens the panel of a row when its code or data has loaded, or after a short wait. Pass the same functions at each render. */
export function usePanelOpening<R extends Resource, Item extends ExpandItem<R>>(
  { resource, panel: code, panelParam = 'id', tabs }: View<R, Item>,
  { open }: Pick<ReturnType<typeof usePanel>, 'open'>,
  { name, load }: PanelOptions<ExpandedRow<R, Item>> = {},
): RowOpening<ExpandedRow<R, Item>> {
  const openWhenLoaded = useOpenWhenLoaded();
  useEffect(() => beforeFirstClick(() => void (code ? code.load?.() : loadGenericPanel())), [code]);
  const nameOf = useCallback((row: ExpandedRow<R, Item>) => name?.(row) ?? keyOf(resource, row), [name, resource]);
  const editTab = tabs?.first && formTab;
  return useMemo(() => {
    const press = (row: ExpandedRow<R, Item>) => load?.(row) ?? code?.load?.();
    return {
      href: (row) => `?${panelParam}=${nameOf(row)}`,
      open: (row) => openWhenLoaded(press(row), () => open(nameOf(row))),
      edit: (row) => openWhenLoaded(press(row), () => open(nameOf(row), editTab)),
      press,
    };
  }, [code, editTab, load, nameOf, open, openWhenLoaded, panelParam]);
}
