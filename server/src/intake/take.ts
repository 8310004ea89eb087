/** Takes what sources send: reads it in the format of the source, names its entities, and gives it to the ingest of all packets. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import type { triedItem } from '@cloudfit/contract/actions/sources.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { RawItem } from '../ingest/parse-body.ts';
import { takeTurns } from '../platform/turns.ts';
import { oidNamesOf } from '../features/devices/mibs/tenant-mibs.ts';
import { countSources, type SourceCounts } from './counts.ts';
import { findEntities, nameKey, noteDevices, resolveEntities, type EntityCache, type EntityMatch } from './entities.ts';
import type { Format } from './format.ts';
import { formatOf } from './formats/formats.ts';
import { draftOf, type PacketDraft, type DraftOrRefusal, type EntityName } from './map.ts';
import { openSources, type OpenSource, type OpenSources } from './open-sources.ts';
import { maxReadings, usualAnswer, type FormatAnswer, type Payload, type ItemRefusal } from './readings.ts';
import { noMemory, rememberSeries, type SeriesMemory } from './series/memory.ts';

/** Stores packets of a source like any others. */
export type StoreItems = (ctx: Ctx, items: readonly RawItem[]) => Promise<z.infer<typeof itemAnswer>[]>;

export interface SourceIntake {
  readonly sources: OpenSources;
  readonly counts: SourceCounts;
  /** Takes a payload and returns the answer to its sender; counts what was stored and refused. */
  take(ctx: Ctx, source: OpenSource, payload: Payload): Promise<FormatAnswer>;
  close(): Promise<void>;
}

async function draftsOf(ctx: Ctx, { kind, plan, tenantId }: OpenSource, payload: Payload, memory: SeriesMemory): Promise<DraftOrRefusal[]> {
  const turn = takeTurns();
  let parts = 0;
  // Each part costs a little, also one that says nothing.
  const countedTurn = (): Promise<void> | undefined => {
    parts += 1;
    if (parts > limits.bodyValues)
      throw new ApiError('PayloadTooLarge', `A payload has at most ${limits.bodyValues} parts. Send fewer at a time.`);
    return turn();
  };
  const readings = await formatOf(kind).read(payload, { plan, memory, turn: countedTurn, names: () => oidNamesOf(ctx.db, tenantId) });
  if (readings.length > maxReadings) throw new ApiError('PayloadTooLarge', `A payload has at most ${maxReadings} items. Send it in parts.`);
  const drafts: DraftOrRefusal[] = [];
  for (const reading of readings) {
    drafts.push(draftOf(plan, reading));
    await turn();
  }
  return drafts;
}

const entitiesOf = (drafts: readonly DraftOrRefusal[]): EntityName[] => {
  const byKey = new Map<string, EntityName>();
  for (const draft of drafts) if (!('refusal' in draft)) byKey.set(nameKey(draft.entity), draft.entity);
  return [...byKey.values()];
};

/** The devices that blocks are about, by the names of the blocks; the last one that was sent counts. */
function aboutDevices(drafts: readonly DraftOrRefusal[]): Map<string, string> {
  const devices = new Map<string, string>();
  for (const draft of drafts) if (!('refusal' in draft) && draft.about !== undefined) devices.set(draft.entity.name, draft.about);
  return devices;
}

interface Refused extends ItemRefusal {
  sample: string;
  weight: number;
}

const sampleLength = 1_000;
const sampleOf = ({ sent }: DraftOrRefusal): string => (JSON.stringify(sent) ?? '').slice(0, sampleLength);
const weightOf = ({ weight = 1 }: DraftOrRefusal): number => weight;

/** What became of the items of a payload; `packets` counts those that were stored, the others count what the sender counts. */
interface StoredItems {
  packets: number;
  stored: number;
  duplicate: number;
  refused: Refused[];
}

interface StoreParts {
  storeItems: StoreItems;
  /** Waits, which tests do not. */
  pause: (ms: number) => Promise<unknown>;
}

type StoredAnswer = Pick<z.infer<typeof itemAnswer>, 'status' | 'code' | 'message'>;

const notStored = 'NotStored';

/** When the rest of a payload is tried again of which a part is stored: its sender cannot repeat it without storing that part twice. */
const pausesMs = [250, 1_000, 4_000];

/**
 * Gives the drafts to ingest, and returns what became of them. Throws what the sender can repeat; after a part without ids has been stored, the rest
 * is tried again here, and refused at last.
 */
async function store(
  ctx: Ctx,
  drafts: readonly DraftOrRefusal[],
  entities: ReadonlyMap<string, EntityMatch>,
  { storeItems, pause }: StoreParts,
): Promise<StoredItems> {
  const refused: Refused[] = [];
  const codes = new Set<string>();
  // One sample of each reason is shown, so no other is written.
  const refuse = (draft: DraftOrRefusal | undefined, { code, message }: ItemRefusal): void => {
    refused.push({ code, message, sample: draft && !codes.has(code) ? sampleOf(draft) : '', weight: draft ? weightOf(draft) : 1 });
    codes.add(code);
  };
  const sent: { draft: DraftOrRefusal & PacketDraft; item: RawItem }[] = [];
  for (const draft of drafts) {
    const entity = 'refusal' in draft ? draft : entities.get(nameKey(draft.entity));
    if ('refusal' in draft) refuse(draft, draft.refusal);
    else if (!entity || 'refusal' in entity)
      refuse(draft, entity?.refusal ?? { code: 'UnknownName', message: `${draft.entity.name} is not known.` });
    else {
      const { timestamp, messageId, message } = draft;
      sent.push({ draft, item: { json: { entityId: entity.entityId, timestamp, messageId, message } } });
    }
  }
  let [packets, stored, duplicate] = [0, 0, 0];
  let isRepeatable = true;
  for (let at = 0; at < sent.length; at += limits.packetsPerBatch) {
    let left = sent.slice(at, at + limits.packetsPerBatch);
    for (let attempt = 0; left.length > 0; attempt += 1) {
      const answers = await storeItems(
        ctx,
        left.map(({ item }) => item),
      ).catch((error: unknown) => {
        // What is stored by then is known again when the sender repeats the payload, which is better than to store a part of it.
        if (isRepeatable || !(error instanceof ApiError)) throw error;
        return left.map((): StoredAnswer => ({ status: 'refused', code: notStored, message: error.message }));
      });
      const again: typeof left = [];
      for (const [index, { status, code, message }] of answers.entries()) {
        const one = left[index];
        const weight = one ? weightOf(one.draft) : 1;
        if (status === 'stored') {
          [packets, stored] = [packets + 1, stored + weight];
          isRepeatable &&= one?.draft.messageId !== undefined;
        } else if (status === 'duplicate') duplicate += weight;
        else if (code === notStored && one && attempt < pausesMs.length) again.push(one);
        else refuse(one?.draft, { code: code ?? 'Refused', message: message ?? '' });
      }
      if (again.length > 0) await pause(pausesMs[attempt] ?? 0);
      left = again;
    }
  }
  return { packets, stored, duplicate, refused };
}

const reasonsShown = 10;

/** The first different reasons, so that one of a hundred items does not hide the others. */
const reasonsOf = (refused: readonly Refused[]): ItemRefusal[] =>
  [...new Map(refused.map((refusal) => [`${refusal.code} ${refusal.message}`, refusal])).values()].slice(0, reasonsShown);

export async function openIntake({
  database,
  log,
  storeItems,
  pause = sleep,
}: {
  database: Database;
  log: Logger;
} & Omit<StoreParts, 'pause'> &
  Partial<StoreParts>): Promise<SourceIntake> {
  const sources = await openSources({ database });
  const counts = countSources({ database, log });
  const cache: EntityCache = new Map();
  const memory = rememberSeries();

  async function take(ctx: Ctx, source: OpenSource, payload: Payload): Promise<FormatAnswer> {
    const { answer = usualAnswer, refuse, respond }: Format = formatOf(source.kind);
    const response = respond?.(payload);
    if (response) return response;
    if (payload.method !== 'POST' && payload.method !== 'PUT')
      throw new ApiError('MethodNotAllowed', 'Sources are sent to by POST or PUT.');
    try {
      const drafts = await draftsOf(ctx, source, payload, memory);
      const entities = await resolveEntities(ctx, source, entitiesOf(drafts), cache);
      await noteDevices(ctx, source, aboutDevices(drafts), cache);
      const { packets, stored, duplicate, refused } = await store(ctx, drafts, entities, { storeItems, pause });
      const refusedCount = refused.reduce((sum, { weight }) => sum + weight, 0);
      counts.add(source, { stored: packets, duplicates: duplicate, refusals: refused });
      const total = stored + duplicate + refusedCount;
      return answer({ total, stored, duplicate, refused: refusedCount, reasons: reasonsOf(refused) }, payload);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const sample = payload.bytes.subarray(0, sampleLength).toString();
      counts.add(source, { stored: 0, duplicates: 0, refusals: [{ code: error.code, message: error.message, sample, weight: 1 }] });
      const refusal = refuse?.(error, payload);
      if (!refusal) throw error;
      return refusal;
    }
  }

  return {
    sources,
    counts,
    take,
    close: async () => {
      await counts.close();
      await sources.close();
    },
  };
}

type TriedRow = z.infer<typeof triedItem>;

const triedShown = 20;

/** Says what a payload would become. Writes nothing. */
export async function tryPayload(ctx: Ctx, source: OpenSource, payload: Payload): Promise<{ value: TriedRow[]; more: number }> {
  const drafts = await draftsOf(ctx, source, payload, noMemory);
  const shown = drafts.slice(0, triedShown);
  const entities = await findEntities(ctx, source, entitiesOf(shown));
  const value = shown.map((draft): TriedRow => {
    if ('refusal' in draft) return { refusal: draft.refusal.message };
    const entity = entities.get(nameKey(draft.entity));
    const isKnown = entity !== undefined && 'entityId' in entity;
    const isMade = !isKnown && entity?.refusal.code === 'UnknownName' && source.unknownEntities !== 'Refuse';
    const is = isKnown ? 'known' : isMade ? 'new' : (entity?.is ?? 'unknown');
    return {
      entity: { ...draft.entity, is },
      ...(draft.timestamp === undefined ? {} : { timestamp: draft.timestamp }),
      ...(draft.messageId === undefined ? {} : { messageId: draft.messageId }),
      message: draft.message,
      ...(isKnown || isMade ? {} : { refusal: entity?.refusal.message ?? '' }),
    };
  });
  return { value, more: drafts.length - shown.length };
}
