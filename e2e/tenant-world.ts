/** Seeds a second tenant with a subscription and a secret, tokens of the first tenant, and pending devices. */
import type { Api } from './panel-world.ts';

/** Seeds the rows. Returns the ids of the second tenant, a token and a pending device. */
export async function seedTenants(call: Api, callAll: Api, tenantId: string): Promise<Record<'tenant' | 'token' | 'pending', string>> {
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
  await callAll('POST', '/v1/customerTemplates/fromTenant', {
    tenantId: id,
    name: 'Small site',
    description: 'One subscription with the usual fields.',
  });
  const token = await call('PUT', '/v1/tokens', { name: 'Historian', description: 'Reads for the reports', lifetimeYears: 0, tenantId });
  const revoked = await call('PUT', '/v1/tokens', { name: 'Old gateway', lifetimeYears: 1, tenantId });
  await call('PUT', `/v1/tokens/${String(revoked['tokenGrantId'])}/revoke`, undefined);
  const machine = { operatingSystem: 'Debian GNU/Linux 12 (bookworm)', architecture: 'x64', agentVersion: '1.0.0' };
  const pendingDevices = await Promise.all(
    Array.from({ length: 26 }, (_, at) =>
      call('POST', '/v1/agent/register', { machineKey: crypto.randomUUID(), machineName: `plc-${at}`, ...machine }),
    ),
  );
  return { tenant: id, token: String(token['tokenGrantId']), pending: String(pendingDevices[0]?.['pendingDeviceId']) };
}
