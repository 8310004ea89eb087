import type { Area } from '@cloudfit/contract/permissions.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { text } from '../../api/odata.ts';
import type { CurrentUser } from '../../api/lookups.ts';

export interface Counter {
  id: string;
  label: string;
  hint?: string;
  area: Area;
  /** The set that is counted, and which of it. */
  set: string;
  filter: () => string;
  to: string;
  /** Any at all is bad news. */
  alarming?: boolean;
}

const t = en.home;
export const openStates = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated'];
export const isOpen = `stateId in (${openStates.map(text).join(',')})`;
const silentMs = 5 * 60_000;

export function counters(tenantId: string, user: CurrentUser): readonly Counter[] {
  const mine = `tenantId eq ${tenantId}`;
  const units = `/${tenantId}/workunitsv2`;
  const open = openStates.join(',');
  return [
    { id: 'new', label: t.newUnits, area: 'WorkUnits', set: 'workUnits', filter: () => `${mine} and stateId eq 'New'`, to: `${units}?f.stateId=New` },
    { id: 'severe', label: t.severe, area: 'WorkUnits', set: 'workUnits', filter: () => `${mine} and ${isOpen} and severityId in ('Sev0','Sev1')`, to: `${units}?f.stateId=${open}&f.severityId=Sev0,Sev1`, alarming: true },
    { id: 'mine', label: t.myOpen, area: 'WorkUnits', set: 'workUnits', filter: () => `${mine} and ${isOpen} and assignedTo eq ${text(user.userName)}`, to: `${units}?f.stateId=${open}&q=mine` },
    { id: 'open', label: t.openUnits, area: 'WorkUnits', set: 'workUnits', filter: () => `${mine} and ${isOpen}`, to: `${units}?f.stateId=${open}` },
    { id: 'matches', label: t.activeMatches, area: 'Rules', set: 'ruleMatches', filter: () => `${mine} and closed eq null`, to: `/${tenantId}/rules`, alarming: true },
    { id: 'devices', label: t.devices, area: 'Devices', set: 'devices', filter: () => mine, to: `/${tenantId}/devices` },
    { id: 'rules', label: t.rules, area: 'Rules', set: 'rules', filter: () => `${mine} and enabled eq true`, to: `/${tenantId}/rules` },
    { id: 'silent', label: t.silent, hint: t.silentHint, area: 'Packets', set: 'packets', filter: () => `${mine} and timestamp lt ${new Date(Date.now() - silentMs).toISOString()}`, to: `/${tenantId}/devices`, alarming: true },
  ];
}
