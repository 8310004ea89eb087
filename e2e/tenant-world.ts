/** A second tenant with all that one can have, tokens of the first one, and machines that wait to become devices. */
import type { Api } from './panel-world.ts';

/** Answers the ids of the second tenant, of a token and of a machine that waits. */
export async function furnishTenants(call: Api, callAll: Api, tenantId: string): Promise<Record<'tenant' | 'token' | 'pending', string>> {
  const tenant = await callAll('PUT', '/v1/tenants', {
    name: 'Southwind Water',
    internalNotificationEmailAddress: 'ops@southwind.example',
    assignmentGroups: 'Network, Service desk',
    workUnitFieldDef1: { Name: 'Site', Type: 1 },
    workUnitFieldDef2: { Name: 'Shift', Type: 2, Options: 'Day, Night' },
  });
  const id = String(tenant['tenantId']);
  await callAll('PUT', '/v1/subscriptions', { tenantId: id, name: 'Pumping stations' });
  await callAll('PUT', `/v1/tenants/${id}/secrets`, { name: 'mail.key', value: 'violet tractor marzipan' });
  const token = await call('PUT', '/v1/tokens', { name: 'Historian', description: 'Reads for the reports', lifetimeYears: 0, tenantId });
  const gone = await call('PUT', '/v1/tokens', { name: 'Old gateway', lifetimeYears: 1, tenantId });
  await call('PUT', `/v1/tokens/${String(gone['tokenGrantId'])}/revoke`, undefined);
  const machine = { operatingSystem: 'Debian GNU/Linux 12 (bookworm)', architecture: 'x64', agentVersion: '1.0.0' };
  const waiting = await Promise.all(
    Array.from({ length: 26 }, (_, at) =>
      call('POST', '/v1/agent/register', { machineKey: crypto.randomUUID(), machineName: `plc-${at}`, ...machine }),
    ),
  );
  return { tenant: id, token: String(token['tokenGrantId']), pending: String(waiting[0]?.['pendingDeviceId']) };
}
