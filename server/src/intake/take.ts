/** Takes what sources send: reads it in the format of the source, names its entities, and gives it to the ingest of all packets. */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import type { triedItem } from '@cloudfit/contract/actions/sources.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { SourceKind } from '@cloudfit/contract/sources/kinds.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { RawItem } from '../ingest/parse-body.ts';
import { countSources, type SourceCounts } from './counts.ts';
import { findEntities, nameKey, resolveEntities, type EntityCache, type EntityMatch } from './entities.ts';
import { alertmanager } from './formats/alertmanager.ts';
import { opsgenie, pagerDuty, uptimeKuma } from './formats/pagers.ts';
import { readWebhook } from './formats/webhook.ts';
import { draftOf, type PacketDraft, type DraftOrRefusal, type EntityName } from './map.ts';
import { openSources, type OpenSource, type OpenSources } from './open-sources.ts';
import {
  maxReadings,
  type Format,
  type FormatAnswer,
  type IntakeOutcome,
  type Payload,
  type SourceReading,
  type ItemRefusal,
  type RefusedReading,
} from './readings.ts';

/** Stores packets of a source like any others. */
export type StoreItems = (ctx: Ctx, items: readonly RawItem[]) => Promise<z.infer<typeof itemAnswer>[]>;

export interface SourceIntake {
  readonly sources: OpenSources;
  readonly counts: SourceCounts;
  /** Takes a payload and returns the answer to its sender; counts what was stored and refused. */
  take(ctx: Ctx, source: OpenSource, payload: Payload): Promise<FormatAnswer>;
  close(): Promise<void>;
}

const formats: Readonly<Record<Exclude<SourceKind, 'Webhook'>, Format>> = {
  Alertmanager: alertmanager,
  Grafana: alertmanager,
  PagerDuty: pagerDuty,
  Opsgenie: opsgenie,
  UptimeKuma: uptimeKuma,
};

const usual: Pick<Format, 'answer' | 'refuse'> = {};
const formatOf = (kind: SourceKind): Pick<Format, 'answer' | 'refuse'> => (kind === 'Webhook' ? usual : formats[kind]);

function readingsOf({ kind, plan }: OpenSource, payload: Payload): (SourceReading | RefusedReading)[] {
  const readings = kind === 'Webhook' ? readWebhook(payload, plan.mapping) : formats[kind].read(payload);
  if (readings.length > maxReadings) throw new ApiError('PayloadTooLarge', `A payload has at most ${maxReadings} items. Send it in parts.`);
  return readings;
}

const entitiesOf = (drafts: readonly DraftOrRefusal[]): EntityName[] => {
  const byKey = new Map<string, EntityName>();
  for (const draft of drafts) if (!('refusal' in draft)) byKey.set(nameKey(draft.entity), draft.entity);
  return [...byKey.values()];
};

interface Refused extends ItemRefusal {
  sample: string;
}

const sampleLength = 1_000;
const sampleOf = ({ sent }: DraftOrRefusal): string => (JSON.stringify(sent) ?? '').slice(0, sampleLength);

/** Gives the drafts to ingest, and returns what became of them. */
async function store(ctx: Ctx, drafts: readonly DraftOrRefusal[], entities: ReadonlyMap<string, EntityMatch>, storeItems: StoreItems) {
  const refused: Refused[] = [];
  const sent: { draft: DraftOrRefusal & PacketDraft; item: RawItem }[] = [];
  for (const draft of drafts) {
    const entity = 'refusal' in draft ? draft : entities.get(nameKey(draft.entity));
    if ('refusal' in draft) refused.push({ ...draft.refusal, sample: sampleOf(draft) });
    else if (!entity || 'refusal' in entity) {
      const refusal = entity?.refusal ?? { code: 'UnknownName', message: `${draft.entity.name} is not known.` };
      refused.push({ ...refusal, sample: sampleOf(draft) });
    } else {
      const { timestamp, messageId, message } = draft;
      sent.push({ draft, item: { json: { entityId: entity.entityId, timestamp, messageId, message } } });
    }
  }
  let [stored, duplicate] = [0, 0];
  for (let at = 0; at < sent.length; at += limits.packetsPerBatch) {
    const part = sent.slice(at, at + limits.packetsPerBatch);
    const answers = await storeItems(
      ctx,
      part.map(({ item }) => item),
    );
    for (const [index, { status, code, message }] of answers.entries()) {
      if (status === 'stored') stored += 1;
      else if (status === 'duplicate') duplicate += 1;
      else {
        const draft = part[index]?.draft;
        refused.push({ code: code ?? 'Refused', message: message ?? '', sample: draft ? sampleOf(draft) : '' });
      }
    }
  }
  return { stored, duplicate, refused };
}

/** The usual answer: 200 when at least one item is stored, now or before, or when there was none. */
function usualAnswer({ total, stored, duplicate, refused, reasons }: IntakeOutcome): FormatAnswer {
  const details = reasons.map(({ code, message }) => ({ code, message }));
  if (total > 0 && refused === total) {
    const [first] = reasons;
    const message = total === 1 ? (first?.message ?? '') : `None of the ${total} items was stored. The first: ${first?.message ?? ''}`;
    return { status: 400, body: { error: { code: 'ValidationFailed', message, details } } };
  }
  return { status: 200, body: { stored, duplicate, refused, ...(refused > 0 ? { reasons: details } : {}) } };
}

const reasonsShown = 10;

export async function openIntake({
  database,
  log,
  storeItems,
}: {
  database: Database;
  log: Logger;
  storeItems: StoreItems;
}): Promise<SourceIntake> {
  const sources = await openSources({ database });
  const counts = countSources({ database, log });
  const cache: EntityCache = new Map();

  async function take(ctx: Ctx, source: OpenSource, payload: Payload): Promise<FormatAnswer> {
    const { answer = usualAnswer, refuse } = formatOf(source.kind);
    try {
      const drafts = readingsOf(source, payload).map((reading) => draftOf(source.plan, reading));
      const entities = await resolveEntities(ctx, source, entitiesOf(drafts), cache);
      const { stored, duplicate, refused } = await store(ctx, drafts, entities, storeItems);
      counts.add(source, { stored, refused: refused.length, refusals: refused });
      return answer({ total: drafts.length, stored, duplicate, refused: refused.length, reasons: refused.slice(0, reasonsShown) }, payload);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      counts.add(source, {
        stored: 0,
        refused: 1,
        refusals: [{ code: error.code, message: error.message, sample: payload.bytes.subarray(0, sampleLength).toString() }],
      });
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
  const drafts = readingsOf(source, payload).map((reading) => draftOf(source.plan, reading));
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
