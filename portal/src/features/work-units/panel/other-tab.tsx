import { PendingActions } from '../pending-actions/pending-actions.tsx';
import { Related } from '../related/related.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { ProtocolsTab } from './protocols-tab.tsx';

export interface OtherTabProps {
  tab: 'protocols' | 'pending' | 'related';
  unit: PanelWorkUnit;
}

/** The tabs of an existing unit other than its form and its properties. */
export function OtherTab({ tab, unit }: OtherTabProps) {
  if (tab === 'protocols') return <ProtocolsTab id={unit.workUnitId} />;
  return tab === 'pending' ? <PendingActions unit={unit} /> : <Related unit={unit} />;
}
