import type { CallOutput } from '@cloudfit/contract/call.ts';
import { doNow } from '@cloudfit/contract/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useCall } from '../../../api/call.ts';
import { dropPanelParts } from '../../../hooks/use-panel.ts';
import { panelParam } from './unit-pane.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

/** What becomes due is announced by nobody. */
const pollMs = 60_000;

export type DoNowEntry = CallOutput<typeof doNow>['value'][number];
export type Reason = DoNowEntry['reasons'][number];

/** What the person should do now in a tenant, or in all of their tenants. */
export function useDoNow(tenantId: string | undefined) {
  return useCall(doNow, tenantId === undefined ? {} : { tenantId }, { refreshedBy: [workUnits.name, 'doNow'], refetchInterval: pollMs });
}

export function keyOf({ unit, communication }: DoNowEntry): string {
  return unit ? `unit ${unit.workUnitId}` : `communication ${communication?.workUnitCommunicationId}`;
}

export function titleOf({ unit, communication }: DoNowEntry): string {
  return unit ? `#${unit.publicWorkUnitId} ${unit.title}` : `#${communication?.publicId} ${communication?.title}`;
}

/** Where an entry opens: a unit beside the list, a communication on its page. */
export function addressOf({ unit, communication }: DoNowEntry, here: URLSearchParams): string {
  if (!unit) return `/workunitcommunications?id=${communication?.workUnitCommunicationId}`;
  const params = new URLSearchParams(here);
  dropPanelParts(params);
  params.delete('tab');
  params.set(panelParam, String(unit.workUnitId));
  return `?${params}`;
}

export const unitOf = ({ unit }: DoNowEntry): PanelWorkUnit | undefined => unit ?? undefined;
