import type { CallOutput } from '@cloudfit/contract/call.ts';
import { doNow } from '@cloudfit/contract/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useCall } from '../../../api/call.ts';
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

export function addressOf({ unit, communication }: DoNowEntry): string {
  return unit ? `/workunitsv2?workUnitId=${unit.workUnitId}` : `/workunitcommunications?id=${communication?.workUnitCommunicationId}`;
}

export const unitOf = ({ unit }: DoNowEntry): PanelWorkUnit | undefined => unit ?? undefined;
