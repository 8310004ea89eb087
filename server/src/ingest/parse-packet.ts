/** Turns one item of a batch into a packet, or says why it is refused. */
import { limits } from '@cloudfit/contract/limits.ts';
import type { IncomingPacket } from '../rules/run/packet.ts';
import { isStorable, knownFields, messageProblem, nothingKnown, sizeProblem } from './check-message.ts';
import { normalMessage } from './normal-message.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import type { RawItem } from './parse-body.ts';
import type { PacketRefusal } from './refusals.ts';

export interface RefusedItem {
  index: number;
  /** The entity id that was sent, if it was text. */
  entityId: string | undefined;
  refusal: PacketRefusal;
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

const maxAgeMs = limits.packetMaxAgeDays * 86_400_000;
const maxAheadMs = limits.packetMaxAheadMinutes * 60_000;
const maxMessageId = 200;

function timeOf(value: unknown, now: number): number | PacketRefusal {
  if (value === undefined || value === null) return now;
  const time = typeof value === 'string' && isoTime.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return { code: 'InvalidTimestamp', message: 'timestamp must be an ISO 8601 time with a zone.' };
  if (time < now - maxAgeMs) return { code: 'TimestampTooOld', message: `timestamp is more than ${limits.packetMaxAgeDays} days old.` };
  if (time > now + maxAheadMs)
    return { code: 'TimestampAhead', message: `timestamp is more than ${limits.packetMaxAheadMinutes} minutes ahead.` };
  return time;
}

function idOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (guid.test(value)) return value;
  const lower = value.toLowerCase();
  return guid.test(lower) ? lower : undefined;
}

/** Turns an item into a packet or a refusal. `now` is the time of receipt. */
export function parsePacket(item: RawItem, index: number, now: number): IncomingPacket | RefusedItem {
  const refused = (refusal: PacketRefusal, entityId?: string): RefusedItem => ({ index, entityId, refusal });
  if ('invalid' in item) return refused(item.invalid);
  const raw = item.json;
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return refused({ code: 'InvalidPacket', message: 'A packet must be an object.' });
  const sent = raw as { entityId?: unknown; timestamp?: unknown; messageId?: unknown; message?: unknown };
  const entityId = idOf(sent.entityId);
  if (entityId === undefined)
    return refused(
      { code: 'InvalidEntityId', message: 'entityId must be a GUID.' },
      typeof sent.entityId === 'string' ? sent.entityId.slice(0, 100) : undefined,
    );
  const timestamp = timeOf(sent.timestamp, now);
  if (typeof timestamp === 'object') return refused(timestamp, entityId);
  const messageId = sent.messageId ?? undefined;
  if (
    messageId !== undefined &&
    (typeof messageId !== 'string' ||
      messageId === '' ||
      messageId.length > maxMessageId ||
      messageId.includes('\0') ||
      !messageId.isWellFormed())
  ) {
    return refused({ code: 'InvalidMessageId', message: `messageId must be text of 1 to ${maxMessageId} characters.` }, entityId);
  }
  const problem = messageProblem(sent.message);
  if (problem) return refused({ code: 'InvalidMessage', message: problem }, entityId);
  const fields = knownFields(sent.message as Record<string, unknown>);
  const nothing = nothingKnown(sent.message as Record<string, unknown>, fields);
  if (nothing) return refused({ code: 'InvalidMessage', message: nothing }, entityId);
  const text = JSON.stringify(fields);
  const tooLarge = sizeProblem(fields, text);
  if (tooLarge) return refused(tooLarge, entityId);
  if (!isStorable(text))
    return refused({ code: 'InvalidMessage', message: 'message contains a character that cannot be stored.' }, entityId);
  const message = normalMessage(fields, text);
  if (typeof message === 'string') return refused({ code: 'InvalidMessage', message }, entityId);
  const json = message === fields ? text : JSON.stringify(message);
  return { index, packetId: uuidV7(now), entityId, timestamp, messageId, message, json };
}

export function isRefusal(item: IncomingPacket | RefusedItem): item is RefusedItem {
  return !('packetId' in item);
}
