import { openStates } from '@cloudfit/contract/enums.ts';

/** Addresses of the lists behind the numbers of the home page, with the filters by which the numbers were counted. */
export function addresses(tenantId: string) {
  const units = (states: readonly string[] = openStates, severities: readonly string[] = []) =>
    `/${tenantId}/workunitsv2?f.stateId=${states.join(',')}${severities.length > 0 ? `&f.severityId=${severities.join(',')}` : ''}`;
  return {
    units,
    unit: (list: string, id: number) => `${list}&workUnitId=${id}`,
    mine: `${units()}&q=mine,awake`,
    breaching: `${units()}&q=breaching&sort=clockDue`,
    approval: `${units()}&q=approval,awake`,
    updates: `/${tenantId}/workunitcommunications`,
    matches: `/${tenantId}/rules?q=matching`,
    silent: `/${tenantId}/devices?f.enabled=true&q=silent`,
  };
}
