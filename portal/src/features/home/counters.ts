import { and, compare, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import type { Area } from '@cloudfit/contract/permissions.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { CurrentUser } from '../../api/lookups.ts';

export interface Counter {
  id: string;
  label: string;
  hint?: string;
  area: Area;
  /** The set that is counted, and which of it. */
  set: string;
  filter: () => string | undefined;
  to: string;
  /** Any at all is bad news. */
  alarming?: boolean;
}

const t = en.home;
export const openStates = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated'];
export const isOpen = oneOf('stateId', openStates);
const silentMs = 5 * 60_000;

export function counters(tenantId: string, user: CurrentUser): readonly Counter[] {
  const mine = eq('tenantId', tenantId, 'guid');
  const units = `/${tenantId}/workunitsv2`;
  const open = openStates.join(',');
  return [
    {
      id: 'new',
      label: t.newUnits,
      area: 'WorkUnits',
      set: 'workUnits',
      filter: () => and(mine, eq('stateId', 'New')),
      to: `${units}?f.stateId=New`,
    },
    {
      id: 'severe',
      label: t.severe,
      area: 'WorkUnits',
      set: 'workUnits',
      filter: () => and(mine, isOpen, oneOf('severityId', ['Sev0', 'Sev1'])),
      to: `${units}?f.stateId=${open}&f.severityId=Sev0,Sev1`,
      alarming: true,
    },
    {
      id: 'mine',
      label: t.myOpen,
      area: 'WorkUnits',
      set: 'workUnits',
      filter: () => and(mine, isOpen, eq('assignedTo', user.userName)),
      to: `${units}?f.stateId=${open}&q=mine`,
    },
    {
      id: 'open',
      label: t.openUnits,
      area: 'WorkUnits',
      set: 'workUnits',
      filter: () => and(mine, isOpen),
      to: `${units}?f.stateId=${open}`,
    },
    {
      id: 'matches',
      label: t.activeMatches,
      area: 'Rules',
      set: 'ruleMatches',
      filter: () => and(mine, eq('closed', null)),
      to: `/${tenantId}/rules`,
      alarming: true,
    },
    { id: 'devices', label: t.devices, area: 'Devices', set: 'devices', filter: () => mine, to: `/${tenantId}/devices` },
    {
      id: 'rules',
      label: t.rules,
      area: 'Rules',
      set: 'rules',
      filter: () => and(mine, eq('enabled', true, 'boolean')),
      to: `/${tenantId}/rules`,
    },
    {
      id: 'silent',
      label: t.silent,
      hint: t.silentHint,
      area: 'Packets',
      set: 'packets',
      filter: () => and(mine, compare('timestamp', 'lt', new Date(Date.now() - silentMs).toISOString(), 'timestamp')),
      to: `/${tenantId}/devices`,
      alarming: true,
    },
  ];
}
