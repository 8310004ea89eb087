import { useSearchParams } from 'react-router';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { Tabs } from '../../../components/tabs.tsx';
import { useAddress } from '../../../hooks/use-address.ts';

const t = workUnitTexts;
const names = ['form', 'protocols', 'pending', 'properties', 'related'] as const;
type UnitTab = (typeof names)[number];

/** Returns the tab in the address, by default the form, and a function that selects another tab. */
export function useUnitTab(): readonly [UnitTab, (next: string, now?: boolean) => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const tabInAddress = params.get('tab');
  const choose = (next: string, now = true) =>
    setAddress(
      (address) => {
        if (next === 'form') address.delete('tab');
        else address.set('tab', next);
        return undefined;
      },
      { replace: true, now },
    );
  return [names.find((name) => name === tabInAddress) ?? 'form', choose];
}

interface UnitTabsProps {
  value: UnitTab;
  onChange: (next: string) => void;
  pending?: number | undefined;
  related?: number | undefined;
}

export function UnitTabs({ value, onChange, pending, related }: UnitTabsProps) {
  const counts: Partial<Record<UnitTab, number | undefined>> = { pending, related };
  return (
    <Tabs
      idBase="work-unit"
      label={t.label}
      value={value}
      onChange={onChange}
      items={names.map((id) => ({ id, label: t.tabs[id], count: counts[id] }))}
    />
  );
}

/** The panel of a tab; its id and name connect it to the tab. */
export const tabPanelProps = (tab: UnitTab) =>
  ({ role: 'tabpanel', id: 'work-unit-panel', 'aria-labelledby': `work-unit-${tab}`, tabIndex: 0 }) as const;
