/** Composes an event as a CloudEvent 1.0, from the row as it is now and the changes that the event is about. */
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { hopAttribute, hopsOf } from '@cloudfit/contract/events/hops.ts';
import type { EventEntity } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../../context/ctx.ts';
import { columnName } from '../../db/column-name.ts';
import { list } from '../../resources/list.ts';
import { servedNamed, servedOf, type AnyRow } from '../../resources/served.ts';

/** What a trigger has recorded: changed columns with both values, or the key of a new note. */
type RecordedChanges = Readonly<Record<string, { from: unknown; to: unknown }>> | { note: number } | null;

export interface RecordedEvent {
  eventDeliveryId: number;
  tenantId: string;
  eventId: string;
  type: string;
  deed: string;
  subject: string;
  entity: EventEntity;
  entityId: string;
  changes: RecordedChanges;
  occurred: string;
  filter: string | null;
}

export interface SentEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /** Extensions. `sequence` rises within a subscription. */
  tenantid: string;
  sequence: string;
  /** How many installations the cause has gone through: a source refuses an event that goes round. */
  cloudfithops: number;
  data: Record<string, unknown>;
}

/** The name of the row in `data`, and its page in the portal. */
const places: Readonly<Record<EventEntity, { name: string; page: string }>> = {
  workUnits: { name: 'workUnit', page: 'workunitsv2?workUnitId=' },
  ruleMatches: { name: 'ruleMatch', page: 'matches?id=' },
  workUnitCommunications: { name: 'communication', page: 'workunitcommunications?id=' },
};

/** A value of a column as the API sends it. */
function asSent({ kind }: Field, value: unknown): unknown {
  return kind === 'timestamp' && typeof value === 'string' ? new Date(value).toISOString() : value;
}

/** The recorded changes by the names of fields. */
function changesOf(fields: Readonly<Record<string, Field>>, recorded: RecordedChanges): Record<string, { from: unknown; to: unknown }> {
  if (recorded === null || 'note' in recorded) return {};
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const [name, field] of Object.entries(fields)) {
    const change = (recorded as Readonly<Record<string, { from: unknown; to: unknown }>>)[columnName(name)];
    if (change) changes[name] = { from: asSent(field, change.from), to: asSent(field, change.to) };
  }
  return changes;
}

async function rowOf(ctx: Ctx, { entity, entityId, tenantId, filter }: RecordedEvent): Promise<AnyRow | undefined> {
  const resource = requireResource(entity);
  const key = resource.fields[resource.key]?.kind === 'guid' ? entityId : Number(entityId);
  const narrowed = and(eq(resource, resource.key, key), eq(resource, 'tenantId', tenantId), filter ? `(${filter})` : undefined);
  const page = await list(ctx, servedNamed(entity), queryText({ filter: narrowed, top: 1 }));
  return page.value[0];
}

async function noteOf(ctx: Ctx, { changes, tenantId }: RecordedEvent): Promise<AnyRow | undefined> {
  if (changes === null || !('note' in changes) || typeof changes.note !== 'number') return undefined;
  const filter = and(eq(workUnitNotes, 'workUnitNoteId', changes.note), eq(workUnitNotes, 'tenantId', tenantId));
  const page = await list(ctx, servedOf(workUnitNotes), queryText({ filter, top: 1 }));
  return page.value[0];
}

const hopsOfCause = `select m.rule_packet #>> '{Properties,${hopAttribute}}' as hops from rule_match m
  where m.rule_match_id = $1 or m.rule_match_id = (select w.opened_by_rule_match_id from work_unit w where w.work_unit_id = $2)`;

/** The count of the event that has opened the match, or the unit that the event is about; 0 if it was none. */
async function hopsBefore(ctx: Ctx, { entity, entityId }: RecordedEvent, row: AnyRow): Promise<number> {
  const unit = entity === 'workUnits' ? Number(entityId) : entity === 'workUnitCommunications' ? row['workUnitId'] : null;
  const [cause] = await ctx.db.query<{ hops: string | null }>({
    text: hopsOfCause,
    values: [entity === 'ruleMatches' ? entityId : null, unit ?? null],
  });
  return hopsOf(cause?.hops ?? undefined);
}

/**
 * Returns the event; undefined if its row is gone, belongs to another tenant now, or does not satisfy the filter. What changed has the
 * values of the event, although later events may have changed the row again.
 */
export async function composeEvent(ctx: Ctx, event: RecordedEvent, publicUrl: string): Promise<SentEvent | undefined> {
  const { eventId, eventDeliveryId, tenantId, type, subject, occurred, entity, entityId, deed } = event;
  const head = {
    specversion: '1.0',
    id: eventId,
    source: `${publicUrl}/v1/tenants/${tenantId}`,
    type,
    subject,
    time: new Date(occurred).toISOString(),
    datacontenttype: 'application/json',
    tenantid: tenantId,
    sequence: String(eventDeliveryId).padStart(19, '0'),
  } as const;
  if (deed === 'test') return { ...head, cloudfithops: 1, data: { message: 'This is a test of the subscription. Nothing happened.' } };
  const row = await rowOf(ctx, event);
  if (!row) return undefined;
  const { name, page } = places[entity];
  const changes = changesOf(requireResource(entity).fields, event.changes);
  const then = Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
  const note = await noteOf(ctx, event);
  return {
    ...head,
    cloudfithops: (await hopsBefore(ctx, event, row)) + 1,
    data: {
      [name]: { ...row, ...then },
      ...(Object.keys(changes).length > 0 ? { changes } : {}),
      ...(note ? { note } : {}),
      url: `${publicUrl}/${tenantId}/${page}${entityId}`,
    },
  };
}

/** Header values in CloudEvents are percent-encoded beyond printable ASCII. */
const headerText = (text: string): string =>
  text.replaceAll(/[^\x21\x23-\x24\x26-\x7e]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

export interface EventMessage {
  headers: Record<string, string>;
  body: string;
}

/** The message of several stored events: an array of them. */
export const messageOfBatch = (stored: readonly string[]): EventMessage => ({
  headers: { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' },
  body: `[${stored.join(',')}]`,
});

/** The message of a stored event in the form of its subscription. */
export function messageOfEvent(stored: string, format: string): EventMessage {
  if (format === 'Batch') return messageOfBatch([stored]);
  if (format !== 'Binary') return { headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' }, body: stored };
  const { data, datacontenttype, ...attributes } = JSON.parse(stored) as SentEvent;
  const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerText(String(value))]));
  return { headers: { ...headers, 'content-type': datacontenttype }, body: JSON.stringify(data) };
}
