/** The stream in front of ingest: opens it as configured, and runs the role that writes it. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import type { Ingest } from '../ingest/accept.ts';
import { createAnnouncer } from '../ingest/announce.ts';
import { startEvaluator } from '../ingest/stream/evaluator.ts';
import { openPacketStream, type PacketStream } from '../ingest/stream/stream.ts';
import { currentTime } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { startPulse } from '../rules/run/pulse.ts';

/** The name of this installation in NATS, which may serve others too; chosen at the first use. */
async function installationName(db: Db): Promise<string> {
  await db.query({
    text: "insert into setting (name, value) values ('streamName', to_jsonb($1::text)) on conflict (name) do nothing",
    values: [randomBytes(4).toString('hex')],
  });
  const [row] = await db.query<{ name: string | null }>({ text: "select value #>> '{}' as name from setting where name = 'streamName'" });
  if (!row?.name) throw new Error('The stream has no name.');
  return row.name;
}

/** Opens the stream of STREAM_URL; undefined when there is none. */
export async function openStreamOf(config: Config, db: Db, log: Logger): Promise<PacketStream | undefined> {
  if (config.streamUrl === undefined) return undefined;
  return openPacketStream({
    url: config.streamUrl,
    caFile: config.streamCaFile,
    installation: await installationName(db),
    maxBytes: config.streamMaxMb * 1_048_576,
    replicas: config.streamReplicas,
    log,
  });
}

/** How long packets may wait before rules on silence wait too, since entities that report look silent. */
const behindMs = 10_000;

/** Starts to write the stream. `process` names this process among those of the installation. */
export async function writeStream(
  stream: PacketStream,
  { database, ingest, process, log }: { database: Database; ingest: Ingest; process: string; log: Logger },
): Promise<{ stop(): Promise<void> }> {
  const announcer = createAnnouncer(database, log);
  const evaluator = await startEvaluator(stream, {
    database,
    log,
    entities: ingest.entities,
    writer: ingest.writer,
    process,
    stored: (tenants) => announcer.packetsStored(tenants),
  });
  const pulse = startPulse(
    database,
    process,
    log,
    () => stream.isConnected() && (evaluator.oldest() ?? Infinity) > currentTime() - behindMs,
  );
  return {
    async stop() {
      await pulse.stop();
      await evaluator.stop();
      announcer.stop();
    },
  };
}
