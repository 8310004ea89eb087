/** Turns one item of a batch into a packet, or says why it is refused. */
import { limits } from '@cloudfit/contract/limits.ts';
import type { IncomingPacket } from '../rules/packet.ts';
import { isStorable, knownFields, messageProblem, packetTooLarge, sizeProblem } from './check-message.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import type { RawItem } from './parse-body.ts';

export interface RefusedItem {
  index: number;
  /** The id as it was sent, when it was text. */
  entityId: string | undefined;
  message: string;
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

const maxAgeMs = limits.packetMaxAgeDays * 86_400_000;
const maxAheadMs = limits.packetMaxAheadMinutes * 60_000;
const maxMessageId = 200;

function timeOf(value: unknown, now: number): number | string {
  if (value === undefined || value === null) return now;
  const time = typeof value === 'string' && isoTime.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return 'timestamp must be an ISO 8601 time with a zone.';
  if (time < now - maxAgeMs) return `timestamp is more than ${limits.packetMaxAgeDays} days old.`;
  if (time > now + maxAheadMs) return `timestamp is more than ${limits.packetMaxAheadMinutes} minutes ahead.`;
  return time;
}

function idOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (guid.test(value)) return value;
  const lower = value.toLowerCase();
  return guid.test(lower) ? lower : undefined;
}

/** `now` is the time of receipt. */
export function parsePacket(item: RawItem, index: number, now: number): IncomingPacket | RefusedItem {
  if ('invalid' in item) return { index, entityId: undefined, message: item.invalid };
  const raw = item.json;
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { index, entityId: undefined, message: 'A packet must be an object.' };
  const sent = raw as { entityId?: unknown; timestamp?: unknown; messageId?: unknown; message?: unknown };
  const entityId = idOf(sent.entityId);
  if (entityId === undefined)
    return {
      index,
      entityId: typeof sent.entityId === 'string' ? sent.entityId.slice(0, 100) : undefined,
      message: 'entityId must be a GUID.',
    };
  const timestamp = timeOf(sent.timestamp, now);
  if (typeof timestamp === 'string') return { index, entityId, message: timestamp };
  const messageId = sent.messageId ?? undefined;
  if (
    messageId !== undefined &&
    (typeof messageId !== 'string' ||
      messageId === '' ||
      messageId.length > maxMessageId ||
      messageId.includes('\0') ||
      !messageId.isWellFormed())
  ) {
    return { index, entityId, message: `messageId must be text of 1 to ${maxMessageId} characters.` };
  }
  const problem = messageProblem(sent.message);
  if (problem) return { index, entityId, message: problem };
  const message = knownFields(sent.message as Record<string, unknown>);
  const tooLarge = sizeProblem(message);
  if (tooLarge) return { index, entityId, message: tooLarge };
  const json = JSON.stringify(message);
  if (Buffer.byteLength(json) > limits.packetBytes) return { index, entityId, message: packetTooLarge };
  if (!isStorable(json)) return { index, entityId, message: 'message contains a character that cannot be stored.' };
  return { index, packetId: uuidV7(now), entityId, timestamp, messageId, message, json };
}

export function isRefusal(item: IncomingPacket | RefusedItem): item is RefusedItem {
  return !('packetId' in item);
}
