/** The tabs of the generic panel: the form, beside those of the view; the open tab is in the address. */
import { Tabs } from '../components/tabs.tsx';
import { useTabAddress } from '../hooks/use-tab-address.ts';
import type { PanelTab } from './view.ts';

const idBase = 'panel';
export const formTab = 'form';

/**
 * The open tab (undefined for the form), and a function that opens one (without a name: the form). `first`: the tab that is
 * open while the address names none, instead of the form.
 */
export function usePanelTab<T>(
  tabs: readonly PanelTab<T>[] = [],
  first?: PanelTab<T>,
): readonly [PanelTab<T> | undefined, (id?: string) => void] {
  const [requestedTab, choose] = useTabAddress(first?.id ?? formTab);
  return [requestedTab === formTab ? undefined : (tabs.find((tab) => tab.id === requestedTab) ?? first), (id = formTab) => choose(id)];
}

interface PanelTabsProps {
  tabs: { form: string; first?: { id: string; label: string } | undefined; others: readonly { id: string; label: string }[] };
  label: string;
  value: string | undefined;
  onChange: (id: string) => void;
}

export function PanelTabs({ tabs, label, value = formTab, onChange }: PanelTabsProps) {
  return (
    <Tabs
      idBase={idBase}
      label={label}
      value={value}
      onChange={onChange}
      items={[...(tabs.first ? [tabs.first] : []), { id: formTab, label: tabs.form }, ...tabs.others]}
    />
  );
}

/** Attributes of a tab's content that connect it with its tab for screen readers. */
export const tabPanelProps = (tab?: { id: string }) =>
  ({ role: 'tabpanel', id: `${idBase}-panel`, 'aria-labelledby': `${idBase}-${tab?.id ?? formTab}`, tabIndex: 0 }) as const;
