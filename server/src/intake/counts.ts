/** What sources have sent: added up in memory, written every few seconds, however many requests there were. */
import type { Logger } from 'pino';
import type { Database } from '../db/connection.ts';
import type { ItemRefusal } from './readings.ts';
import { currentTime } from '../platform/clock.ts';

interface Counts {
  tenantId: string;
  stored: number;
  refused: number;
  /** When the source last sent something of which not everything was refused. */
  lastData: number | undefined;
  refusals: Map<string, ItemRefusal & { sample: string; count: number }>;
}

/** A refusal of as many items as it weighs. */
type CountedRefusal = ItemRefusal & { sample: string; weight: number };

export interface SourceCounts {
  add(source: { id: string; tenantId: string }, got: { stored: number; duplicates: number; refusals: readonly CountedRefusal[] }): void;
  /** Writes what was added until now. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const flushMs = 2_000;
const sampleLength = 1_000;
/** The most reasons of one source; further ones are counted without a sample of their own. */
const maxReasons = 30;

// `per_minute` is a mean of the last five minutes in which older packets count less.
const write = `with added as (
  select unnest($1::uuid[]) as source_id, unnest($2::bigint[]) as stored, unnest($3::bigint[]) as refused, unnest($4::timestamptz[]) as at
)
update intake_source s set packets_stored = s.packets_stored + a.stored, packets_refused = s.packets_refused + a.refused,
  last_data = greatest(s.last_data, a.at),
  per_minute = s.per_minute * exp(-greatest(0, extract(epoch from a.at - coalesce(s.last_data, a.at)))::double precision / 300) + a.stored / 5.0
from added a where a.source_id = s.source_id`;

const writeRefusals = `with refused as (
  select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[]) as r (source_id, tenant_id, code, message, sample, count)
)
insert into source_refusal (source_id, tenant_id, code, message, sample, count)
select r.source_id, r.tenant_id, r.code, r.message, r.sample, r.count from refused r join intake_source s on s.source_id = r.source_id
on conflict (source_id, code) do update set count = source_refusal.count + excluded.count, last = now(), message = excluded.message, sample = excluded.sample`;

export function countSources({ database, log }: { database: Database; log: Logger }): SourceCounts {
  let counts = new Map<string, Counts>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writeAll(batch: ReadonlyMap<string, Counts>): Promise<void> {
    const db = database.scoped('all');
    const sources = [...batch].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const refusals = sources.flatMap(([id, { tenantId, refusals }]) =>
      [...refusals.values()].map((refusal) => ({ id, tenantId, ...refusal })),
    );
    await db.transaction(async (tx) => {
      await tx.query({
        name: 'count-sources',
        text: write,
        values: [
          sources.map(([id]) => id),
          sources.map(([, { stored }]) => stored),
          sources.map(([, { refused }]) => refused),
          sources.map(([, { lastData }]) => (lastData === undefined ? null : new Date(lastData).toISOString())),
        ],
      });
      if (refusals.length === 0) return;
      await tx.query({
        name: 'count-source-refusals',
        text: writeRefusals,
        values: [
          refusals.map(({ id }) => id),
          refusals.map(({ tenantId }) => tenantId),
          refusals.map(({ code }) => code),
          refusals.map(({ message }) => message),
          refusals.map(({ sample }) => sample),
          refusals.map(({ count }) => count),
        ],
      });
    });
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batch = counts;
    counts = new Map();
    if (batch.size > 0)
      writing = writing.then(() =>
        writeAll(batch).catch((error: unknown) => log.warn({ err: error }, 'What sources have sent could not be counted.')),
      );
    return writing;
  };

  return {
    add: ({ id, tenantId }, { stored, duplicates, refusals }) => {
      let ofSource = counts.get(id);
      if (!ofSource) counts.set(id, (ofSource = { tenantId, stored: 0, refused: 0, lastData: undefined, refusals: new Map() }));
      ofSource.stored += stored;
      // A source of which everything is refused reports nothing, however often it sends.
      if (stored + duplicates > 0 || refusals.length === 0) ofSource.lastData = currentTime();
      for (const { code, message, sample, weight } of refusals) {
        ofSource.refused += weight;
        const reason = ofSource.refusals.get(code);
        if (reason) reason.count += weight;
        else if (ofSource.refusals.size < maxReasons)
          ofSource.refusals.set(code, { code, message: storable(message), sample: storable(sample).slice(0, sampleLength), count: weight });
      }
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
    close: flush,
  };
}

/** PostgreSQL stores neither NUL nor half of a character. */
const storable = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();
