/**
 * The stream of accepted packets in NATS JetStream: a stream of its own for each partition, so that its sequence has no gaps and what
 * is written is removed from its front at once. The only file that talks to NATS.
 */
import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as JetStream from '@nats-io/jetstream';
import type { Consumer, JetStreamClient, JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { StartError } from '../../platform/start-error.ts';
import { partitionCount } from './envelope.ts';

/** A message of a partition. */
export interface PartitionMessage {
  sequence: number;
  text: string;
}

/** What a partition holds that is not removed yet. */
export interface PartitionState {
  partition: number;
  /** Tells this stream from one of the same name that was deleted. */
  stream: string;
  lastSequence: number;
  messages: number;
  bytes: number;
  /** When the oldest message was stored, in epoch milliseconds; undefined when there is none. */
  oldest: number | undefined;
}

export interface PacketStream {
  /** Resolves when the stream has stored the message; false: it has one with this id already. Throws 503 when it cannot. */
  publish(partition: number, text: string, id: string | undefined): Promise<boolean>;
  /** Yields the messages after `sequence` in their order, as they come, until `signal` or the first irregularity, which it throws. */
  read(partition: number, sequence: number, signal: AbortSignal): AsyncGenerator<PartitionMessage, void>;
  /** Keeps a message that cannot be written, for people; the newest ones that have room. */
  setAside(partition: number, text: string): Promise<void>;
  /** Removes the messages up to `sequence`. */
  remove(partition: number, sequence: number): Promise<void>;
  /** Makes the stream of a partition if there is none, and says what it holds. */
  state(partition: number): Promise<PartitionState>;
  isConnected(): boolean;
  close(): Promise<void>;
}

export interface PacketStreamOptions {
  /** Addresses of the servers of one NATS, separated by commas. */
  url: string;
  /** The certificates of the authorities that sign for servers at `tls://`; by default those that Node trusts. */
  caFile?: string | undefined;
  /** Tells the streams of this installation from those of others in the same NATS. */
  installation: string;
  maxBytes: number;
  replicas: number;
  log: Logger;
}

/** The longest message: a packet of the largest size, with what the envelope adds. */
const messageBytes = limits.packetBytes + 16_384;

/** Milliseconds in which the stream must have stored a message. */
const publishMs = 5_000;
/** For how long a message is sent again while another server of a cluster takes the place of one that has ended. */
const moveMs = 1_500;
const againMs = 100;
/** For how long a message id is known to the stream; the database knows it for as long as packets are kept. */
const duplicateMs = 120_000;
/** How long one request for messages waits, and how many bytes it should bring at most. */
const fetchMs = 5_000;
const fetchBytes = 2_097_152;
const fetchMessages = 500;

const nanos = (ms: number): number => ms * 1_000_000;

const away = (): ApiError =>
  new ApiError('Unavailable', 'The stream that takes packets cannot be reached just now. Please send them again.');
const full = (): ApiError =>
  new ApiError(
    'Unavailable',
    'The stream that takes packets is full, because they could not be written for long. Please send them again later.',
    {
      retryAfterSeconds: 30,
    },
  );

/** The code with which JetStream refuses a message that has no room. */
const noRoom = new Set([10_077, 10_047, 10_023]);
const notFound = 10_059;

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/** Connects to NATS, and makes the streams that are missing. The libraries are loaded here, so that a server without a stream does not load them. */
export async function openPacketStream(options: PacketStreamOptions): Promise<PacketStream> {
  const [{ connect }, { jetstream, jetstreamManager, AckPolicy, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType }] =
    await Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')]);
  const { log, installation, replicas } = options;
  const connection = await connect(connectionOptions(options)).catch((error: unknown) => {
    throw new StartError(`The stream of STREAM_URL cannot be reached: ${messageOf(error)}`);
  });
  if ((connection.info?.max_payload ?? 0) < messageBytes) {
    await connection.close();
    throw new StartError(
      `The stream of STREAM_URL takes messages of ${connection.info?.max_payload} bytes, and packets need ${messageBytes}. Set max_payload: 2MB in the configuration of nats-server.`,
    );
  }
  let connected = true;
  void watch(connection, log, (value) => (connected = value));
  const { js, jsm } = await openJetStream(connection, { jetstream, jetstreamManager });
  const nameOf = (partition: number): string => `CLOUDFIT_${installation}_${partition}`;
  const asideSubject = `cloudfit.${installation}.aside`;
  const subjectOf = (partition: number): string => `cloudfit.${installation}.packets.${partition}`;

  async function ensure(partition: number): Promise<StreamInfo> {
    const max_bytes = Math.floor(options.maxBytes / partitionCount);
    try {
      const info = await jsm.streams.info(nameOf(partition));
      return info.config.max_bytes === max_bytes ? info : await jsm.streams.update(nameOf(partition), { ...info.config, max_bytes });
    } catch (error) {
      if (codeOf(error) !== notFound) throw error;
    }
    return jsm.streams.add({
      name: nameOf(partition),
      subjects: [subjectOf(partition)],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      // A full stream refuses new messages, so that nothing is lost that was accepted.
      discard: DiscardPolicy.New,
      max_bytes,
      num_replicas: replicas,
      duplicate_window: nanos(duplicateMs),
    });
  }

  /** Makes the streams again that somebody has removed; one attempt at a time. */
  let mending: Promise<unknown> | undefined;
  function mend(): void {
    mending ??= ensureAll()
      .catch((error: unknown) => log.error({ err: error }, 'The stream of packets could not be made again.'))
      .finally(() => (mending = undefined));
  }
  async function ensureAside(): Promise<void> {
    const name = `CLOUDFIT_${installation}_ASIDE`;
    await jsm.streams.info(name).catch((error: unknown) => {
      if (codeOf(error) !== notFound) throw error;
      return jsm.streams.add({
        name,
        subjects: [`${asideSubject}.*`],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        max_bytes: Math.max(Math.floor(options.maxBytes / partitionCount), 4 * messageBytes),
        num_replicas: replicas,
      });
    });
  }
  const ensureAll = async (): Promise<void> => {
    await Promise.all([ensureAside(), ...Array.from({ length: partitionCount }, (_, partition) => ensure(partition))]);
  };

  await ensureAll().catch(async (error: unknown) => {
    await connection.close();
    throw new StartError(`The stream of STREAM_URL cannot be prepared: ${messageOf(error)}`);
  });

  async function* session(partition: number, sequence: number, signal: AbortSignal): AsyncGenerator<PartitionMessage, void> {
    const stream = nameOf(partition);
    const { name } = await jsm.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: sequence + 1,
      inactive_threshold: nanos(60_000),
      mem_storage: true,
      num_replicas: 1,
    });
    try {
      yield* fetched(await js.consumers.get(stream, name), signal);
    } finally {
      void jsm.consumers.delete(stream, name).catch(() => undefined);
    }
  }

  return {
    async publish(partition, text, id) {
      const options = { timeout: publishMs, retries: 0, ...(id === undefined ? {} : { msgID: id }) };
      for (const end = performance.now() + moveMs; ; await sleep(againMs)) {
        // A message without an id might be stored twice.
        const isLast = id === undefined || performance.now() >= end;
        if (!connected) {
          if (isLast) throw away();
          continue;
        }
        try {
          return !(await js.publish(subjectOf(partition), text, options)).duplicate;
        } catch (error) {
          if (noRoom.has(codeOf(error) ?? 0)) throw Object.assign(full(), { cause: error });
          if (!isLast) continue;
          if (!(error instanceof Error && /timeout/i.test(error.message))) mend();
          throw Object.assign(away(), { cause: error });
        }
      }
    },
    read: session,
    async setAside(partition, text) {
      await js.publish(`${asideSubject}.${partition}`, text, { timeout: publishMs });
    },
    async remove(partition, sequence) {
      await jsm.streams.purge(nameOf(partition), { seq: sequence + 1 });
    },
    async state(partition) {
      const { created, state } = await ensure(partition);
      return {
        partition,
        stream: created,
        lastSequence: state.last_seq,
        messages: state.messages,
        bytes: state.bytes,
        oldest: state.messages > 0 ? Date.parse(state.first_ts) : undefined,
      };
    },
    isConnected: () => connected,
    close: () => connection.close(),
  };
}

/** The consumer's messages; throws when one is missing between them. */
async function* fetched(consumer: Consumer, signal: AbortSignal): AsyncGenerator<PartitionMessage, void> {
  let delivered = 0;
  let perFetch = 50;
  while (!signal.aborted) {
    const messages = await consumer.fetch({ max_messages: perFetch, expires: fetchMs });
    const stop = (): void => messages.stop();
    signal.addEventListener('abort', stop);
    let [count, bytes] = [0, 0];
    try {
      for await (const message of messages) {
        if (signal.aborted) return;
        delivered += 1;
        if (message.info.deliverySequence !== delivered) throw new Error(`Message ${message.seq} came out of its order.`);
        count += 1;
        bytes += message.data.length;
        yield { sequence: message.seq, text: message.string() };
      }
    } finally {
      signal.removeEventListener('abort', stop);
      messages.stop();
    }
    if (count > 0) perFetch = Math.max(1, Math.min(fetchMessages, Math.floor((fetchBytes * count) / bytes)));
  }
}

/** Follows whether the connection is open. The library connects again by itself, for as long as it takes. */
async function watch(connection: NatsConnection, log: Logger, set: (connected: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') {
      set(false);
      log.error('The connection to the stream of packets is lost. Packets are refused until it is back.');
    } else if (type === 'reconnect') {
      set(true);
      log.warn('The stream of packets is connected again.');
    }
  }
  set(false);
}

async function openJetStream(
  connection: NatsConnection,
  { jetstream, jetstreamManager }: Pick<typeof JetStream, 'jetstream' | 'jetstreamManager'>,
): Promise<{ js: JetStreamClient; jsm: JetStreamManager }> {
  try {
    return { js: jetstream(connection), jsm: await jetstreamManager(connection) };
  } catch (error) {
    await connection.close();
    throw new StartError(
      `The NATS of STREAM_URL has no JetStream (${messageOf(error)}). Start nats-server with it: jetstream {} in its configuration.`,
    );
  }
}

function authorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`The file of STREAM_CA_FILE cannot be read: ${messageOf(error)}`);
  }
}

function connectionOptions({ url: text, caFile }: Pick<PacketStreamOptions, 'url' | 'caFile'>) {
  const urls = text.split(',').map((url) => new URL(url.trim()));
  const [first] = urls;
  const isEncrypted = urls.some(({ protocol }) => protocol === 'tls:');
  if (caFile !== undefined && !isEncrypted) throw new StartError('STREAM_CA_FILE is set, and STREAM_URL names no server by tls://.');
  // For a server that is named by its IP address, the library does not say which one it has reached.
  const isNamed = (name: string, certificate: PeerCertificate): Error | undefined => {
    const refusals = [name, ...urls.map(({ hostname }) => hostname)].map((host) => checkServerIdentity(host, certificate));
    return refusals.includes(undefined) ? undefined : refusals.at(-1);
  };
  const [user, pass] = [decodeURIComponent(first?.username ?? ''), decodeURIComponent(first?.password ?? '')];
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    name: 'CloudFit',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    timeout: 5_000,
    pingInterval: 2_000,
    maxPingOut: 2,
    ...(isEncrypted ? { tls: { checkServerIdentity: isNamed, ...(caFile === undefined ? {} : { ca: authorities(caFile) }) } } : {}),
    ...(pass === '' ? (user === '' ? {} : { token: user }) : { user, pass }),
  };
}
