import type { ComponentProps } from 'react';
import { useSearchParams } from 'react-router';
import { maintenanceTexts } from '@cloudfit/contract/messages/maintenance.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../api/lookups.ts';
import { onDemand } from '../components/on-demand.tsx';
import { MaintainButton } from '../entities/maintenance/maintain-button.tsx';
import { SelectionActions } from '../features/campaigns/selection-actions.tsx';
import { DevicesPage } from '../features/devices/devices-page.tsx';

type OnSelected = NonNullable<ComponentProps<typeof DevicesPage>['onSelected']>;

const load = () => import('../features/device-operations/device-operations-panel.tsx');
const { Component: OperationsPanel } = onDemand(() => load().then((module) => module.DeviceOperationsPanel));
const { Component: Operations } = onDemand(() => load().then((module) => module.DeviceOperations));

const isNamed = (selected: Parameters<OnSelected>[1]): selected is readonly string[] => Array.isArray(selected);

const onSelected: OnSelected = (tenantId, selected) => (
  <>
    {isNamed(selected) ? (
      <MaintainButton target={{ tenantId, deviceIds: [...selected] }} what={maintenanceTexts.devices(selected.length)} />
    ) : (
      <MaintainButton target={{ tenantId, deviceFilter: selected.filter }} what={maintenanceTexts.devices(selected.count)} />
    )}
    <SelectionActions tenantId={tenantId} selected={selected} />
  </>
);

/** The list of devices, with actions on several devices, and a panel with the operations of one device. */
export function DevicesRoute() {
  const mayEdit = useMay()(devices.area, 'edit');
  const [params] = useSearchParams();
  const deviceId = params.get('operations');
  return (
    <>
      {deviceId && <OperationsPanel key={deviceId} deviceId={deviceId} />}
      <DevicesPage Operations={Operations} onSelected={mayEdit ? onSelected : undefined} />
    </>
  );
}
