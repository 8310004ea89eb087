/** What SNMP traps, syslog and MQTT have in common: items that a listener of an agent has received, or that somebody sends as JSON. */
import { z } from 'zod';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { FormatContext } from '../format.ts';
import {
  jsonOf,
  readEach,
  refusedReading,
  type Payload,
  type PayloadReadings,
  type RefusedReading,
  type SourceReading,
} from '../readings.ts';

const longestText = 8_192;
const name = z.string().max(255);

/** How sure it is that the sender is who the item says. */
const verifications = ['user', 'certificate', 'address', 'no'] as const;

const itemSchema = z.looseObject({
  id: z.string().min(1).max(200).optional(),
  sender: name.optional(),
  verified: z.enum(verifications).catch('no').optional(),
  /** Set by the server: when the agent has heard it. */
  received: z.number().optional(),
});
export type ListenerItem = z.infer<typeof itemSchema>;

const refusalSchema = z.looseObject({
  refusal: z.object({ code: z.string().regex(/^[A-Z][A-Za-z]{1,49}$/), message: z.string().min(1).max(1_000) }),
  sample: z.unknown(),
  count: z.int().min(1).max(1e9).catch(1),
});

export const cut = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`);

/** The beginning of a reading of an item: who has sent and heard it, and when. */
export function listenerReading(
  item: ListenerItem,
  { gateway }: Payload,
): SourceReading & { message: { Properties: Record<string, string> } } {
  const { id, sender, received, verified } = item;
  const labels = { ...(sender === undefined ? {} : { sender }), ...(gateway === undefined ? {} : { gateway: gateway }) };
  return {
    labels,
    body: item,
    ...(received === undefined ? {} : { received }),
    ...(id === undefined ? {} : { id }),
    message: {
      Properties: {
        ...(sender === undefined ? {} : { Sender: sender }),
        // Only what an agent has heard itself was checked; who has the token of the source may say what they like.
        ...(gateway === undefined ? {} : { Gateway: gateway, Verified: verified ?? 'no' }),
      },
    },
  };
}

/** The message without parts that are empty. */
export function withoutEmpty(message: PacketMessage): PacketMessage {
  return Object.fromEntries(
    Object.entries(message).filter(([, part]) => typeof part !== 'object' || part === null || Object.keys(part).length > 0),
  );
}

const aheadMs = limits.packetMaxAheadMinutes * 60_000;
const pastMs = limits.packetMaxAgeDays * 86_400_000;

/** The time that was sent, unless the clock of the sender is so wrong that the packet would be refused for it. */
export function trustedTime(time: number | undefined, received: number | undefined): { time?: number } {
  const now = received ?? Date.now();
  return time === undefined || time > now + aheadMs || time < now - pastMs ? {} : { time };
}

function readItem(
  raw: unknown,
  index: number,
  { gateway }: Payload,
  read: (item: ListenerItem) => SourceReading | RefusedReading,
): SourceReading | RefusedReading {
  // Only an agent refuses on behalf of a source.
  const refused = gateway === undefined ? undefined : refusalSchema.safeParse(raw);
  if (refused?.success) {
    const { refusal, sample, count } = refused.data;
    return { refusal, sent: sample, weight: count };
  }
  const parsed = itemSchema.safeParse(raw);
  if (parsed.success) return read(parsed.data);
  const [issue] = parsed.error.issues;
  const why = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : 'it is no JSON object';
  return refusedReading('InvalidItem', `Item ${index + 1} cannot be read: ${why}`, raw);
}

/** Reads the items of a JSON body: one, or a list of them. */
export async function readItems(
  payload: Payload,
  read: (item: ListenerItem) => SourceReading | RefusedReading,
  turn: FormatContext['turn'],
): Promise<PayloadReadings> {
  const body = await jsonOf(payload, turn);
  return readEach(Array.isArray(body) ? body : [body], (raw, index) => readItem(raw, index, payload, read), turn);
}
