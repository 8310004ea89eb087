import { useMemo } from 'react';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../api/lookups.ts';
import { MaintainButton } from '../entities/maintenance/maintain-button.tsx';
import { SelectionActions } from '../features/campaigns/selection-actions.tsx';
import { SelectionsPage, type MemberActions } from '../features/policies/selections-page.tsx';

const onDevices: MemberActions = (tenantId, { deviceSelectionId, name, filter, count }) => (
  <div className="row selection-actions">
    <MaintainButton target={{ tenantId, deviceSelectionId }} what={name} />
    {count > 0 && <SelectionActions tenantId={tenantId} selected={{ filter, count }} />}
  </div>
);

/** The list of selections, with maintenance and campaigns for their devices. */
export function SelectionsRoute() {
  const mayEdit = useMay()(devices.area, 'edit');
  const actions = useMemo((): MemberActions => (mayEdit ? onDevices : () => null), [mayEdit]);
  return <SelectionsPage actions={actions} />;
}
