/** Seeds the rows that the screens show, over the API. */
import { expect } from '@playwright/test';
import { seedArticles } from './article-world.ts';
import { seedBlocks } from './block-world.ts';
import { seedOperations } from './operation-world.ts';
import { seedPackages } from './package-world.ts';
import { seedAutomation } from './automation-world.ts';
import { apiOf, seedPanel, type Api } from './panel-world.ts';
import { seedPolicies } from './policy-world.ts';
import { seedTenants } from './tenant-world.ts';
import { seedVersions } from './version-world.ts';
import { addPerson, type World } from './world.ts';

export type Places = Readonly<Record<string, string>>;

/** Calls the API by a new token of the administrator. */
export function tokenApi(world: World, ...scope: string[]): Api {
  const { token } = world.admin(['token', 'add', '--name', 'Screens', ...scope, '--scopes', 'agent,ingest', '--set', 'Administrator']);
  return apiOf(world.url, String(token));
}

/** Seeds a communication with steps and a work unit. Returns the communication's public number. */
async function announce(call: Api, tenantId: string): Promise<string> {
  const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const communication = await call('PUT', '/v1/workunitcommunications', {
    title: 'Mail is down',
    details: 'Nobody in Oslo can send mail. What was sent waits in a queue and is not lost.',
    impactedServices: 'Mail',
    isPublic: true,
    currentImpact: 'All of Oslo',
    eventStarted: hour(-2),
    eventEngaged: hour(-1.8),
    nextUpdate: hour(1),
    serviceManager: 'ann@example.com',
    internalBridge: 'https://meet.example.com/1',
    tenantId,
  });
  const id = Number(communication['workUnitCommunicationId']);
  const steps = ['The queue was stopped.', 'Mail moves to the second site.', 'Order a new seal.'];
  for (const [index, details] of steps.entries()) {
    const step = { workUnitCommunicationId: id, details, isComplete: index === 0, isCustomerFacing: index < 2 };
    await call('PUT', '/v1/workunitcommunicationactivities', step);
  }
  const unit = await call('PUT', '/v1/workunits', { title: 'Mail queue grows', severityId: 'Sev2', workUnitTypeId: 1, tenantId });
  await call('POST', `/v1/workunitcommunications/${id}/workUnits`, { workunitIds: [unit['workUnitId']] });
  const contacts = [
    { name: 'Ada Lind', email: 'ada@customer.example', minimumSeverity: 'Sev2' },
    { name: 'Bo Berg', email: 'bo@customer.example', language: 'de' },
    { name: 'Cy Dahl', email: 'cy@customer.example', kinds: 'Maintenance' },
    { name: 'Di Evang', email: 'di@customer.example', active: false },
  ];
  for (const contact of contacts) await call('PUT', '/v1/communicationContacts', { ...contact, tenantId });
  const detail = '{Title} is known since {Started}. We write again by {NextUpdate}.';
  await call('PUT', '/v1/communicationTemplates', { name: 'First update', detail, tenantId });
  const update = {
    text: 'Mail runs on the second site. What was queued is being sent.',
    status: 'ConfirmedImpact',
    nextUpdate: hour(1),
    mail: true,
  };
  await call('POST', `/v1/workunitcommunications/${id}/updates`, update);
  return String(communication['publicWorkUnitCommunicationId']);
}

/** Seeds rows for every screen. Returns the values of the placeholders in paths. `home` is the path after the sign-in. */
export async function seedScreens(world: World, home: string): Promise<Places> {
  const places: Record<string, string> = { home };
  const call = tokenApi(world, '--tenant', 'My organisation');
  const [tenant] = (await call('GET', '/v1/tenants', undefined))['value'] as { tenantId: string }[];
  const tenantId = tenant?.tenantId ?? '';
  addPerson(world, 'Ada');
  const { locationId } = await call('PUT', '/v1/locations', { name: 'Plant 7', city: 'Lynchburg', state: 'VA', tenantId });
  const statusPage = {
    title: 'Screens status',
    address: 'screens',
    enabled: true,
    components: [{ name: 'Mail', kind: 'Location', of: locationId }],
  };
  places['statusPage'] = String((await call('PUT', '/v1/statusPages', { ...statusPage, tenantId }))['statusPageId']);
  for (const [index, title] of [
    'Door 2 is open',
    'Backup is late',
    'Disk of the historian is nearly full',
    'Certificate ends in 9 days',
    'Printer is offline',
  ].entries()) {
    await call('PUT', '/v1/workunits', { title, severityId: `Sev${index}`, workUnitTypeId: 1 + (index % 4 === 1 ? 2 : 0), tenantId });
  }
  const unit = await call('PUT', '/v1/workunits', {
    title: 'Pump 4 does not answer',
    description: 'Since the last shift.',
    severityId: 'Sev1',
    workUnitTypeId: 1,
    tenantId,
  });
  places['unit'] = String(unit['workUnitId']);
  for (const [name, id] of Object.entries(await seedPanel(call, tenantId))) places[name] = String(id);
  Object.assign(places, await seedBlocks(call, tenantId));
  Object.assign(places, await seedTenants(call, tokenApi(world, '--all-tenants'), tenantId));
  Object.assign(places, await seedPackages(world, tenantId));
  Object.assign(places, await seedAutomation(call, tenantId));
  places['communication'] = await announce(call, tenantId);
  const category = await call('PUT', '/v1/workunitcategories', { name: 'Telephony', workUnitTypeId: 1, tenantId });
  places['category'] = String(category['workUnitCategoryId']);
  await call('PUT', '/v1/workunitsubcategories', { name: 'No dial tone', workUnitCategoryId: places['category'] });
  Object.assign(places, await seedArticles(call, tenantId, unit['workUnitId']));
  const freeze = { name: 'End of the year', startsAt: '2026-12-22T00:00:00Z', endsAt: '2027-01-04T00:00:00Z', tenantId };
  await call('PUT', '/v1/changeFreezes', freeze);
  world.admin(['feature', 'set', 'I3ERequestForm', '--on']);
  await call('POST', `/v1/workunits/${places['unit']}`, { severityId: 'Sev0' });
  const detail =
    '## Seen\n\n> It hums\n\n1. **Loud**, see [the log](https://example.com/log)\n2. `0.2 bar`\n\n- [ ] Order a spare\n\n| was | is |\n|---|---|\n| 0.9 | 0.2 |';
  await call('PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail });
  await call('PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail: 'Vacuum pump runs again.' });
  const twin = await call('PUT', '/v1/workunits', { title: 'Pump 4 is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId });
  await call('POST', `/v1/workunits/${places['unit']}/merge`, { ids: [twin['workUnitId']] });
  places['merged'] = String(twin['workUnitId']);
  await expect
    .poll(async () => {
      const [device] = (await call('GET', '/v1/devices', undefined))['value'] as { deviceId: string }[];
      return (places['device'] = device?.deviceId ?? '');
    })
    .not.toBe('');
  await call('POST', `/v1/devices/${places['device']}/toggleTrace/240`, {});
  // `historian` has no agent: runs that are queued for it stay queued, and its last reported values stay.
  const [local] = (await call('GET', `/v1/devices?$filter=deviceId eq ${places['device']}`, undefined))['value'] as Record<
    string,
    unknown
  >[];
  const { deviceId: historian } = await call('PUT', '/v1/devices', {
    name: 'historian',
    tenantId: local?.['tenantId'],
    subscriptionId: local?.['subscriptionId'],
    operatingSystemId: local?.['operatingSystemId'],
  });
  places['historian'] = String(historian);
  Object.assign(places, await seedOperations(call, places['historian'], places['packageOperation'] ?? ''));
  await seedVersions(world, call, tenantId, places['package'] ?? '');
  // A policy adds packages to devices as soon as they are there, also to those above.
  Object.assign(places, await seedPolicies(call, tenantId, places['packageOperation'] ?? ''));
  return places;
}
