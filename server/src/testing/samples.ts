/** Valid rows of each resource for the resource suite: bodies that clients send, and statements for all other rows. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { builtInAction, severities } from '@cloudfit/contract/enums.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { createEventSubscription, servedEventSubscriptions } from '../features/event-subscriptions/event-subscriptions.served.ts';
import { createMailbox, servedMailboxes } from '../features/mailboxes/mailboxes.served.ts';
import { createSource, servedSources } from '../features/sources/sources.served.ts';
import { createToken, servedTokens } from '../features/tokens/tokens.served.ts';
import { create } from '../resources/create.ts';
import { get } from '../resources/get.ts';
import { servedNamed } from '../resources/served.ts';
import { deviceRows } from './device-samples.ts';
import { providerRows } from './provider-samples.ts';
import type { TestWorld } from './world.ts';

type Body = Record<string, unknown>;

export interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

let count = 0;

/** The body with which a client creates one row in this tenant. */
export async function sampleBody(world: TestWorld, resource: Resource, home: SubscriptionIds): Promise<Body> {
  const n = ++count;
  const name = `${resource.label} ${n}`;
  switch (resource.name) {
    case 'tenants':
      return { name };
    case 'directories':
      return { name, prefix: `d${n}`, kind: 'None', tenantIds: [home.tenantId] };
    case 'subscriptions':
    case 'locations':
      return { name, tenantId: home.tenantId };
    case 'devices':
      return { name, ...home };
    case 'blocks':
      return { name, blockTypeId: 1, ...home };
    case 'protocols':
      return { name, tenantId: home.tenantId };
    case 'protocolActions':
      return {
        protocolId: (await sampleRow(world, 'protocols', home))['protocolId'],
        actionDefinitionId: builtInAction.email,
        workUnitEventTypeId: 1,
        parameters: '{"To":"desk@example.com"}',
        summary: name,
      };
    case 'statusPages':
      return { title: name, tenantId: home.tenantId };
    case 'dashboards':
      return { name, tenantId: home.tenantId, sharing: 'Everybody changes it' };
    case 'onCallSchedules':
      return { name, tenantId: home.tenantId, timeZone: 'Europe/Berlin' };
    case 'onCallOverrides':
      return {
        onCallScheduleId: (await sampleRow(world, 'onCallSchedules', home))['onCallScheduleId'],
        personId: await personIn(world, home.tenantId),
        startsAt: '2036-05-01T08:00:00.000Z',
        endsAt: '2036-05-01T16:00:00.000Z',
        reason: name,
      };
    case 'maintenanceWindows':
      return {
        reason: name,
        endsAt: new Date(Date.now() + 3_600_000).toISOString(),
        deviceIds: [(await sampleRow(world, 'devices', home))['deviceId']],
        tenantId: home.tenantId,
      };
    case 'controlStatuses':
      return {
        checkDate: '2026-11-16T00:00:00.000Z',
        status: 'Compliant',
        notes: name,
        tenantId: home.tenantId,
        controlId: (await sampleRow(world, 'controls', home))['id'],
      };
    case 'ruleExceptions': {
      const rule = await create(world.system, servedNamed('rules'), { ...starterRule, name: `Rule of ${name}`, tenantId: null });
      return { ruleId: rule['ruleId'], tenantId: home.tenantId, isOff: true, reason: name };
    }
    case 'policyExceptions':
      return { ...(await keysOf(world, home, { policyId: 'policies', deviceId: 'devices' })), reason: name };
    case 'customerTemplates':
      return { name, content: { document: { cloudfit: 'configuration', version: 1, rows: {} } } };
    case 'tenantGroups':
      return { name, tenantIds: [home.tenantId] };
    case 'rules':
      return { ...starterRule, name, ...home };
    case 'actionDefinitions':
      return { name, actionDefinitionTypeId: 4, tenantId: home.tenantId, endpointUrl: 'https://example.com/', httpMethod: 'POST' };
    case 'workUnits':
      return { title: name, severityId: severities[n % 5], workUnitTypeId: 1, tenantId: home.tenantId };
    case 'workUnitCategories':
      return { name, workUnitTypeId: 1, tenantId: home.tenantId };
    case 'workUnitSubcategories':
      return { name, workUnitCategoryId: (await sampleRow(world, 'workUnitCategories', home))['workUnitCategoryId'] };
    case 'workingCalendars':
      return { name, tenantId: home.tenantId, timeZone: 'Europe/Berlin', holidays: ['2026-12-25'] };
    case 'serviceLevels':
      return {
        name,
        tenantId: home.tenantId,
        workUnitCategoryId: (await sampleRow(world, 'workUnitCategories', home))['workUnitCategoryId'],
        resolveMinutes: 240,
        workingCalendarId: (await sampleRow(world, 'workingCalendars', home))['workingCalendarId'],
      };
    case 'workUnitRelations':
      return {
        workUnitId: (await sampleRow(world, 'workUnits', home))['workUnitId'],
        referenceType: 'RuleMatch',
        referenceId: (await sampleRow(world, 'ruleMatches', home))['ruleMatchId'],
      };
    case 'workUnitCommunications':
      return { title: name, tenantId: home.tenantId, nextUpdate: new Date(Date.now() + 3_600_000).toISOString() };
    case 'workUnitCommunicationActivities':
      return { ...(await keysOf(world, home, { workUnitCommunicationId: 'workUnitCommunications' })), details: name };
    case 'workUnitNotes':
      return { workUnitId: (await sampleRow(world, 'workUnits', home))['workUnitId'], detail: name };
    case 'people':
      return { name, userName: `person${n}@example.com` };
    case 'permissionSets':
      return { name, tenantId: home.tenantId, permissions: ['CloudFit.CFS.Devices:view'] };
    case 'grants':
      return {
        claim: `group-${n}`,
        permissionSetId: (await sampleRow(world, 'permissionSets', home))['permissionSetId'],
        tenantId: home.tenantId,
      };
    case 'packages':
      return { name, tenantId: home.tenantId, packageTypeId: 1, executableTypeId: 2 };
    case 'publishers':
      return {
        name,
        tenantId: home.tenantId,
        publicKey: generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      };
    case 'mibs':
      return {
        name,
        text: `SAMPLE-${n}-MIB DEFINITIONS ::= BEGIN\nsample${n} OBJECT IDENTIFIER ::= { enterprises ${n} }\nEND`,
        tenantId: home.tenantId,
      };
    case 'deviceOperations':
      return { label: name, ...(await keysOf(world, home, { deviceId: 'devices', operationId: 'operations' })), frequencyTypeId: 2 };
    case 'tokens':
      return { name, tenantId: home.tenantId, lifetimeYears: 1 };
    case 'changeFreezes':
      return { name, tenantId: home.tenantId, startsAt: '2026-12-24T00:00:00.000Z', endsAt: '2027-01-02T00:00:00.000Z' };
    case 'knowledgeArticles':
      return { title: name, body: 'Turn it off and on again.', audience: 'Internal', state: 'Draft', tenantId: home.tenantId };
    case 'communicationTemplates':
      return { name, detail: '{Title} is known. We write again by {NextUpdate}.', tenantId: home.tenantId };
    case 'communicationContacts':
      return { name, tenantId: home.tenantId, email: `contact-${n}@example.com` };
    case 'deviceSelections':
      return { name, tenantId: home.tenantId, filter: "name eq 'nothing'" };
    case 'policies':
      return {
        name,
        tenantId: home.tenantId,
        deviceSelectionId: (await sampleRow(world, 'deviceSelections', home))['deviceSelectionId'],
        tags: 'managed',
      };
    case 'sources':
      return { name, kind: 'Webhook', ...home };
    case 'eventSubscriptions':
      return { name, entity: 'workUnits', address: 'https://receiver.example/events', tenantId: home.tenantId };
    case 'mailboxes':
      return { name, address: `box-${n}@example.com`, workUnitTypeId: 1, tenantId: home.tenantId };
    default:
      throw new Error(`${resource.name} is not created by clients.`);
  }
}

/** Inserts a person with a grant in the tenant; returns the person's id. */
export async function personIn(world: TestWorld, tenantId: string, name = `Person ${++count}`): Promise<string> {
  const [row] = await world.system.db.query<{ person_id: string }>({
    text: `with p as (insert into person (name, user_name, email) values ($2, $3, $3) returning person_id),
      s as (insert into permission_set (name, tenant_id, permissions) values ($2, $1, '["CloudFit.CFS.WorkUnits:view", "CloudFit.CFS.WorkUnits:edit"]') returning permission_set_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s)
      select person_id from p`,
    values: [tenantId, name, `${name.toLowerCase().replaceAll(/\W+/g, '.')}.${randomUUID().slice(0, 8)}@example.com`],
  });
  return row?.person_id ?? '';
}

/** `names` maps fields to resources: creates a row of each resource, and returns each field with the key of its row. */
async function keysOf(world: TestWorld, home: SubscriptionIds, names: Readonly<Record<string, string>>): Promise<Body> {
  const entries = Object.entries(names).map(async ([field, name]) => [
    field,
    (await sampleRow(world, name, home))[requireResource(name).key],
  ]);
  return Object.fromEntries(await Promise.all(entries)) as Body;
}

async function sampleRow(world: TestWorld, name: string, home: SubscriptionIds): Promise<Body> {
  return insertSample(world, requireResource(name), home);
}

/** By resource: a statement that inserts a row, because the API does not create such rows from a body. */
const direct: Record<string, (home: SubscriptionIds) => { text: string; values: unknown[] }> = {
  blockLogs: (home) => ({
    text: `with b as (insert into block (tenant_id, subscription_id, name, block_type_id) values ($1, $2, 'A block', 1) returning block_id)
      insert into block_log (block_id, tenant_id, detail, created_by, correlation_id) select block_id, $1, 'Block created.', 'test', uuidv7() from b returning log_entry_id as key`,
    values: [home.tenantId, home.subscriptionId],
  }),
  controlSets: () => ({ text: 'insert into control_set (name) values (uuidv7()::text) returning id as key', values: [] }),
  controlEvidence: (home) => ({
    text: `with s as (insert into control_set (name) values (uuidv7()::text) returning id),
      c as (insert into control (control_set_id, name, title, position) select id, 'AC-1', 'Policy', 1 from s returning id),
      x as (insert into control_status (control_id, tenant_id, check_date, modified_by) select id, $1, '2026-11-16Z', 'test' from c returning id)
      insert into control_evidence (tenant_id, control_status_id, kind, title, url, created_by)
      select $1, id, 'Link', 'A log', 'https://wiki.example.com/', 'test' from x returning evidence_id as key`,
    values: [home.tenantId],
  }),
  complianceSignOffs: (home) => ({
    text: `with s as (insert into control_set (name) values (uuidv7()::text) returning id)
      insert into compliance_sign_off (tenant_id, control_set_id, check_date, report, digest, signed_by)
      select $1, id, '2026-11-16Z', '{}', 'e3b0', 'test' from s returning sign_off_id as key`,
    values: [home.tenantId],
  }),
  controls: () => ({
    text: `with s as (insert into control_set (name) values (uuidv7()::text) returning id)
      insert into control (control_set_id, name, title, position) select id, 'AC-1', 'Policy', 1 from s returning id as key`,
    values: [],
  }),
  outboxMessages: (home) => ({
    text: "insert into outbox_message (tenant_id, message_id, recipients, subject, body, correlation_id) values ($1, uuidv7(), 'desk@example.com', 'Hot', 'Text', uuidv7()) returning outbox_message_id as key",
    values: [home.tenantId],
  }),
  statusSubscribers: (home) => ({
    text: `with p as (insert into status_page (tenant_id, title, address) values ($1, 'Status', uuidv7()::text) returning status_page_id, tenant_id)
      insert into status_subscriber (status_page_id, tenant_id, email) select status_page_id, tenant_id, uuidv7() || '@example.com' from p returning status_subscriber_id as key`,
    values: [home.tenantId],
  }),
  ...providerRows,
  destinations: (home) => ({
    text: "insert into destination (tenant_id, origin, last_error) values ($1, 'https://hook.example.com/' || uuidv7(), 'Refused') returning destination_id as key",
    values: [home.tenantId],
  }),
  jobs: (home) => ({
    text: "insert into job (name, tenant_id, payload, correlation_id) values ('run-action', $1, '{}', uuidv7()) returning job_id as key",
    values: [home.tenantId],
  }),
  packets: (home) => ({
    text: 'insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values (uuidv7(), $1, now(), now(), uuidv7(), $2) returning entity_id as key',
    values: [home.tenantId, JSON.stringify({ Metrics: { Cpu: 5 } })],
  }),
  packetInfos: (home) => ({
    text: 'insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values (uuidv7(), $1, now(), now(), uuidv7(), $2) returning entity_id as key',
    values: [home.tenantId, JSON.stringify({ Value: 5 })],
  }),
  ...deviceRows,
  plannedSteps: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning work_unit_id)
      insert into planned_step (event_id, protocol_action_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, event_state_id, name, sequence, due, stop_when, correlation_id)
      select uuidv7(), uuidv7(), $1, work_unit_id, uuidv7(), 1, 'New', 'Email', 1, now() + interval '1 day', 'Acknowledged', uuidv7() from w returning planned_step_id as key`,
    values: [home.tenantId],
  }),
  notifications: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning work_unit_id)
      insert into notification (tenant_id, work_unit_id, message_id, step_message_id, name, whom, channel, address)
      select $1, work_unit_id, uuidv7(), uuidv7(), 'A person', 'Customer', 'Mail', 'person@example.com' from w returning notification_id as key`,
    values: [home.tenantId],
  }),
  // The item belongs to the person as whom callers of tests act by default.
  inboxItems: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning work_unit_id),
      made as (insert into person (name, user_name) values ('Test Person', 'person@example.com') on conflict do nothing returning person_id),
      p as (select person_id from made union all select person_id from person where user_name = 'person@example.com')
      insert into inbox_item (tenant_id, person_id, work_unit_id, kind, cause, created_by)
      select $1, person_id, work_unit_id, 'Watched', 'version 1', 'test' from w, p returning inbox_item_id as key`,
    values: [home.tenantId],
  }),
  callBacks: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning work_unit_id)
      insert into call_back (tenant_id, work_unit_id, phone, requested_by, due) select $1, work_unit_id, '1', 'test', now() from w returning call_back_id as key`,
    values: [home.tenantId],
  }),
  ruleMatches: (home) => ({
    text: "insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id) values ($1, uuidv7(), uuidv7(), 'A match', now(), now(), now(), uuidv7()) returning rule_match_id as key",
    values: [home.tenantId],
  }),
  unitMatches: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning work_unit_id)
      insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id)
      select $1, uuidv7(), uuidv7(), 'A match', now(), now(), now(), uuidv7(), work_unit_id from w returning rule_match_id as key`,
    values: [home.tenantId],
  }),
  actionHistories: (home) => ({
    text: "insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id) values ($1, '0197f000-0000-7000-8000-000000000003', 1, uuidv7(), uuidv7()) returning action_history_id as key",
    values: [home.tenantId],
  }),
  actionTries: (home) => ({
    text: `with h as (insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id)
        values ($1, '0197f000-0000-7000-8000-000000000003', 1, uuidv7(), uuidv7()) returning action_history_id)
      insert into action_try (tenant_id, action_history_id, number, target) select $1, action_history_id, 1, 'POST https://example.com/' from h returning action_try_id as key`,
    values: [home.tenantId],
  }),
  communicationWorkUnits: (home) => ({
    text: `with c as (insert into work_unit_communication (tenant_id, title, created_by, user_changed_by) values ($1, 'An event', 'test', 'test') returning *),
      w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning *)
      insert into work_unit_relation (work_unit_id, tenant_id, reference_type, reference_id, created_by)
      select w.work_unit_id, $1, 'WorkUnitCommunication', c.work_unit_communication_id::text, 'test' from w, c returning work_unit_relation_id as key`,
    values: [home.tenantId],
  }),
  communicationUpdates: (home) => ({
    text: `with c as (insert into work_unit_communication (tenant_id, title, created_by, user_changed_by) values ($1, 'An event', 'test', 'test') returning *)
      insert into communication_update (tenant_id, work_unit_communication_id, status, detail, created_by)
      select $1, work_unit_communication_id, 'Investigating', 'We look at it.', 'test' from c returning communication_update_id as key`,
    values: [home.tenantId],
  }),
  communicationMails: (home) => ({
    text: `with c as (insert into work_unit_communication (tenant_id, title, created_by, user_changed_by) values ($1, 'An event', 'test', 'test') returning *),
      u as (insert into communication_update (tenant_id, work_unit_communication_id, status, detail, created_by)
        select $1, work_unit_communication_id, 'Investigating', 'We look at it.', 'test' from c returning *)
      insert into communication_mail (tenant_id, work_unit_communication_id, communication_update_id, name, email, subject, body, state, message_id)
      select $1, work_unit_communication_id, communication_update_id, 'Ada', 'ada@example.com', 'An event', 'We look at it.', 'Queued', uuidv7() from u
      returning communication_mail_id as key`,
    values: [home.tenantId],
  }),
  workUnitClocks: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning *)
      insert into work_unit_clock (work_unit_id, tenant_id, kind, state, service_level_id, level_name, target_minutes, warn_percent, pauses_on_hold, started, periods)
      select work_unit_id, $1, 'Resolve', 'Running', uuidv7(), 'Gold', 240, 75, true, now(), '[]' from w returning work_unit_clock_id as key`,
    values: [home.tenantId],
  }),
  resolutionCenterWorkUnits: (home) => ({
    text: "insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A request', 3, 'person@example.com', 'test') returning work_unit_id as key",
    values: [home.tenantId],
  }),
  externalNotes: (home) => ({
    text: `with w as (insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A unit', 1, 'test', 'test') returning *)
      insert into work_unit_note (work_unit_id, tenant_id, detail, is_external_note, created_by, correlation_id) select work_unit_id, $1, 'Soon.', true, 'test', uuidv7() from w returning work_unit_note_id as key`,
    values: [home.tenantId],
  }),
  audit: (home) => ({
    text: "insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, correlation_id) values ($1, 'system', 'test', 'create', 'samples', uuidv7()::text, uuidv7()) returning audit_id as key",
    values: [home.tenantId],
  }),
  invitations: (home) => ({
    text: `with s as (insert into permission_set (tenant_id, name, permissions) values ($1, uuidv7()::text, '[]') returning permission_set_id)
      insert into invitation (tenant_id, email, name, permission_set_id, invited_by, invited_by_kind, invited_by_id, token_hash, expires_on)
      select $1, 'new@example.com', 'New', s.permission_set_id, 'test', 'person', uuidv7(), uuid_send(uuidv7()), now() + interval '1 day'
      from s returning invitation_id as key`,
    values: [home.tenantId],
  }),
  knowledgeArticleVersions: (home) => ({
    text: `with a as (insert into knowledge_article (tenant_id, title, body, audience, state, created_by, modified_by)
        values ($1, 'An article', 'Text', 'Internal', 'Published', 'test', 'test') returning *)
      insert into knowledge_article_version (knowledge_article_id, tenant_id, number, title, body, audience, published_by)
      select knowledge_article_id, tenant_id, 1, title, body, audience, 'test' from a returning knowledge_article_version_id as key`,
    values: [home.tenantId],
  }),
  // A trigger makes the row of each article.
  knowledgeArticleUses: (home) => ({
    text: `insert into knowledge_article (tenant_id, title, body, audience, state, created_by, modified_by)
      values ($1, 'An article', 'Text', 'Internal', 'Published', 'test', 'test') returning knowledge_article_id as key`,
    values: [home.tenantId],
  }),
  tenantSecrets: (home) => ({
    text: "insert into tenant_secret (tenant_id, name) values ($1, 'Secret-' || uuidv7()) returning id as key",
    values: [home.tenantId],
  }),
  features: () => ({
    text: "insert into feature (name, description) values ('Feature' || uuidv7(), 'A feature') returning feature_id as key",
    values: [],
  }),
};

/** Creates a row of this resource in this tenant, by SQL if `direct` has a statement; returns the row as the API does. */
export async function insertSample(world: TestWorld, resource: Resource, home: SubscriptionIds): Promise<Body> {
  const served = servedNamed(resource.name);
  const statement = direct[resource.name]?.(home);
  if (resource.name === servedTokens.resource.name) {
    const row = await createToken(world.system, await sampleBody(world, resource, home));
    return get(world.system, served, row.tokenGrantId);
  }
  if (resource.name === servedSources.resource.name) {
    const row = await createSource(world.system, await sampleBody(world, resource, home));
    return get(world.system, served, row.sourceId);
  }
  if (resource.name === servedEventSubscriptions.resource.name) {
    const row = await createEventSubscription(world.system, await sampleBody(world, resource, home));
    return get(world.system, served, row.eventSubscriptionId);
  }
  if (resource.name === servedMailboxes.resource.name) {
    const row = await createMailbox(world.system, await sampleBody(world, resource, home));
    return get(world.system, served, row.mailboxId);
  }
  if (!statement) return create(world.system, served, await sampleBody(world, resource, home));
  const [row] = await world.system.db.query<{ key: string | number }>(statement);
  return get(world.system, served, row?.key ?? '');
}
