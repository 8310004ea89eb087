/** Seeds work units with everything that their panel can show: a protocol, custom fields, categories, approvals, links. */
import type { Page } from '@playwright/test';
import { builtInAction } from '../contract/src/enums.ts';
import { administrator } from './world.ts';

export type Api = (method: string, path: string, body: unknown) => Promise<Record<string, unknown>>;

/** Calls the API by a token: nobody may approve their own change request, so the administrator must not create it. */
export function apiOf(url: string, token: string): Api {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? (JSON.parse(text) as Record<string, unknown>) : {};
  };
}

const plan = {
  implementationPlan: '1. Drain the node.\n2. Replace the gateway firmware.\n3. Watch the heartbeat for ten minutes.',
  rollbackPlan: 'Flash the firmware that was kept on slot B.',
  affectedResources: 'Gateways east-01 to east-12',
  environment: 'Production',
  expectedCFSAlerts: 'Heartbeat of each gateway is late once.',
  plannedStartTime: '2026-12-05T20:00:00Z',
  plannedFinishTime: '2026-12-05T22:00:00Z',
  resolution: 'Firmware 4.2 runs on all gateways.',
};

/** Seeds the work units. Returns the ids by purpose. */
export async function seedPanel(
  call: Api,
  tenantId: string,
): Promise<Record<'incident' | 'change' | 'onPhone' | 'declined' | 'linked', number>> {
  await call('POST', `/v1/tenants/${tenantId}`, {
    assignmentGroups: 'Network,Databases',
    workUnitFieldDef1: { Name: 'Site', Type: 2, Options: 'East,West' },
    workUnitFieldDef2: { Name: 'Ticket of the carrier', Type: 1 },
  });
  const category = await call('PUT', '/v1/workunitcategories', { name: 'Gateways', workUnitTypeId: 1, tenantId });
  const workUnitCategoryId = String(category['workUnitCategoryId']);
  const subcategory = await call('PUT', '/v1/workunitsubcategories', { name: 'Firmware', workUnitCategoryId });
  const protocol = await call('PUT', '/v1/protocols', {
    name: 'Silent gateway',
    tenantId,
    manualActions:
      'Work unit {PublicWorkUnitId}: {title}\n\n1. Call the site, {stakeHolderPhoneNumber}.\n2. Look whether the carrier reports an outage: https://status.carrier.example/east\n3. Acknowledge at {ackUrl}',
  });
  const protocolId = String(protocol['protocolId']);
  const manual = { protocolId, actionDefinitionId: builtInAction.email, workUnitEventTypeId: 2 };
  await call('PUT', '/v1/protocolActions', {
    ...manual,
    summary: 'Tell the site manager',
    sequence: 1,
    parameters: '{"To":"site@example.com","Template":"None","Subject":"Gateway is silent","Body":"We look at it."}',
  });
  await call('PUT', '/v1/protocolActions', {
    ...manual,
    summary: 'Tell the carrier, as often as it takes',
    sequence: 2,
    repeatable: true,
    parameters: '{"To":"carrier@example.com","Template":"None","Subject":"Line east-07","Body":"Please look at it."}',
  });
  const make = async (body: Record<string, unknown>) => Number((await call('PUT', '/v1/workunits', { tenantId, ...body }))['workUnitId']);
  const linked = await make({ title: 'Carrier announces maintenance in the east', workUnitTypeId: 3, severityId: 'Sev3' });
  const incident = await make({
    title: 'Gateway east-07 is silent',
    description: 'No packet since 04:12. The neighbours report.',
    workUnitTypeId: 1,
    severityId: 'Sev1',
    assignmentGroup: 'Network',
    workUnitCategoryId,
    workUnitSubcategoryId: subcategory['workUnitSubcategoryId'],
    protocolId,
    stakeHolderFullName: 'Jonas Feld',
    stakeHolderPhoneNumber: '+49 30 5550 17',
    customValue1: 'East',
    properties: '{"Rack":"7b","Circuit":"DE-4471"}',
  });
  await call('POST', `/v1/workunits/${incident}`, { stateId: 'Acknowledged', assignedTo: administrator.userName });
  await call('PUT', '/v1/workunitrelations', { workUnitId: incident, referenceId: String(linked), referenceType: 'WorkUnit' });
  const approvers = { approver1: administrator.userName, approver2: 'second@example.com' };
  const change = await make({ title: 'New firmware for the gateways', workUnitTypeId: 2, severityId: 'Sev2', ...plan, ...approvers });
  const onPhone = await make({
    title: 'New firmware for the gateways in the west',
    workUnitTypeId: 2,
    severityId: 'Sev2',
    ...plan,
    ...approvers,
  });
  const declined = await make({ title: 'New firmware at once', workUnitTypeId: 2, severityId: 'Sev2', ...plan, ...approvers });
  return { incident, change, onPhone, declined, linked };
}

/** Changes a field over the API while the form has another unsaved value, then saves the form: a conflict. */
export async function makeConflict(page: Page) {
  const form = page.getByRole('dialog', { name: /^Edit Work Unit/ });
  await form.getByLabel('Description', { exact: true }).fill('Since the last shift; the breaker is out.');
  await page.evaluate(async (id) => {
    const key = Object.keys(localStorage).find((key) => key.startsWith('oidc.user:')) ?? '';
    const { access_token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token?: string };
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ description: `Since ${new Date().toISOString()}.` });
    await fetch(`/v1/workunits/${id}`, { method: 'POST', headers, body });
    // Deletes the draft of the form when the page is left, so that the next screen does not restore it.
    window.addEventListener('pagehide', () => sessionStorage.clear());
  }, new URL(page.url()).searchParams.get('workUnitId'));
  await form.getByRole('button', { name: /^Keep mine/ }).waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
}
