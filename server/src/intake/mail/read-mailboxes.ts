/**
 * Reads mailboxes by IMAP: each has one connection in one process of the installation, which waits for new mails (IDLE) and looks for them
 * once a minute besides. A mail is marked as read after it was stored.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { mailBytes } from '@cloudfit/contract/mail/mailboxes.ts';
import type { Database } from '../../db/connection.ts';
import { heldMailboxes, leaseMailboxes, recordState, releaseMailboxes, type LeasedMailbox } from './leases.ts';
import { mailboxCtx, readMailbox } from './mailbox.ts';
import { LeaseLost, type MailTaker } from './take-mail.ts';

/** An open connection to the folder of a mailbox. */
export interface MailboxConnection {
  uidValidity: number;
  /** The UIDs of mails above this one, in order; of `unreadSince`, only unread ones that arrived since then. */
  newUids(above: number, unreadSince?: Date): Promise<number[]>;
  /** The first bytes of a mail, and how many it has; undefined when it is gone. */
  read(uid: number, maxBytes: number): Promise<{ bytes: Buffer; size: number } | undefined>;
  markRead(uid: number): Promise<void>;
  /** Calls when mails may have arrived. */
  onNew(call: () => void): void;
  /** Ends when the connection does, with why. */
  closed: Promise<string>;
  close(): Promise<void>;
}

/** Opens the folder of a mailbox; throws an error whose message says what is wrong. */
export type OpenMailboxConnection = (box: LeasedMailbox) => Promise<MailboxConnection>;

export interface MailboxReaderOptions {
  database: Database;
  log: Logger;
  open: OpenMailboxConnection;
  taker: MailTaker;
  /** How often it looks for mailboxes to read, and for changes of those that it reads. */
  turnMs?: number;
  pollMs?: number;
  /** The first pause after a failure; later ones are longer. */
  retryMs?: number;
}

const day = 86_400_000;
const longestRetryMs = 300_000;
/** After so many tries a mail is set aside, so that those behind it are read; that fails too while the database or a disk is the reason. */
const maxTries = 5;
/** After so many, some ten minutes, a mail that its server does not hand over is set aside too. */
const maxReads = 8;

interface ReaderSession {
  version: number;
  stop(): Promise<void>;
}

/** Starts to read the mailboxes that no other process reads. */
export function readMailboxes({ database, log, open, taker, turnMs = 3_000, pollMs = 60_000, retryMs = 2_000 }: MailboxReaderOptions): {
  stop(): Promise<void>;
} {
  const db = database.scoped('all');
  const reader = randomUUID();
  const sessions = new Map<string, ReaderSession>();
  let isStopped = false;

  function readOne(box: LeasedMailbox): ReaderSession {
    const stopping = new AbortController();
    const { mailboxId } = box;
    let [validity, last] = [box.uidValidity, box.lastUid];
    const [tries, failedReads] = [new Map<number, number>(), new Map<number, number>()];
    const stopped = once(stopping.signal, 'abort').then(() => undefined);

    const countOne = (counts: Map<number, number>, uid: number): number => {
      const count = (counts.get(uid) ?? 0) + 1;
      counts.set(uid, count);
      return count;
    };

    /** Reads a mail; the beginning of one that says why when its server does not hand it over, however often it is tried. */
    async function readOrSay(
      connection: MailboxConnection,
      uid: number,
    ): Promise<{ bytes: Buffer; size: number; fault?: string } | undefined> {
      if ((failedReads.get(uid) ?? 0) < maxReads) {
        try {
          return await connection.read(uid, mailBytes);
        } catch (error) {
          countOne(failedReads, uid);
          throw error;
        }
      }
      const fault = `The mail server did not hand over the mail ${uid}, which stays in the mailbox.`;
      const bytes = Buffer.from(`${fault} (${connection.uidValidity})`);
      return { bytes, size: bytes.length, fault };
    }

    /** Takes one mail; throws when it has to be tried again. */
    async function takeOne(connection: MailboxConnection, uid: number): Promise<void> {
      const correlationId = randomUUID();
      const scoped = mailboxCtx(database, box, { log: log.child({ correlationId }), correlationId });
      const current = await readMailbox(scoped.db, mailboxId);
      if (!current) throw new LeaseLost('The mailbox was deleted.');
      const mail = await readOrSay(connection, uid);
      const received = mail && { bytes: mail.bytes, size: mail.size, place: { uid, uidValidity: connection.uidValidity, reader } };
      try {
        if (received && mail.fault !== undefined) await taker.setAside(scoped, current, received, mail.fault);
        else if (received) await taker.take(scoped, current, received);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        const count = countOne(tries, uid);
        log.warn({ err: error, mailbox: box.name, uid }, 'A mail could not be stored.');
        const problem = `The mail ${uid} could not be stored: ${messageOf(error)}`;
        if (!received || count < maxTries) throw new Error(problem, { cause: error });
        await taker.setAside(scoped, current, received, problem);
      }
      tries.delete(uid);
      failedReads.delete(uid);
      last = uid;
      if (mail && mail.fault === undefined) await connection.markRead(uid);
    }

    async function takeNew(connection: MailboxConnection, onListed: () => Promise<void>): Promise<void> {
      const isFirst = validity !== connection.uidValidity;
      // What is old when the mailbox is first read, or because its server counts again from one, was answered elsewhere.
      const uids = await connection.newUids(isFirst ? 0 : last, isFirst ? new Date(Date.now() - day) : undefined);
      if (isFirst) [validity, last] = [connection.uidValidity, 0];
      await onListed();
      for (const uid of uids) {
        if (stopping.signal.aborted) return;
        await takeOne(connection, uid);
      }
    }

    /** Nobody waits for a server that does not answer: a stopped session would hold up the leases of all mailboxes. */
    async function openUnlessStopped(): Promise<MailboxConnection | undefined> {
      const opening = open(box);
      const connection = await Promise.race([opening, stopped]);
      if (!connection) void opening.then((late) => late.close()).catch(() => undefined);
      return connection;
    }

    async function connectOnce(): Promise<string | undefined> {
      const connection = await openUnlessStopped();
      if (!connection) return undefined;
      const stop = () => void connection.close();
      stopping.signal.addEventListener('abort', stop, { once: true });
      try {
        let isListed = false;
        // A server that only lets the folder be opened is still a problem.
        const onListed = async () => {
          if (!isListed) await recordState(db, mailboxId, null);
          isListed = true;
        };
        let isWaiting = Promise.withResolvers<void>();
        connection.onNew(() => isWaiting.resolve());
        let end: string | undefined;
        void connection.closed.then((why) => {
          end = why;
          isWaiting.resolve();
        });
        while (!stopping.signal.aborted && end === undefined) {
          isWaiting = Promise.withResolvers<void>();
          await takeNew(connection, onListed);
          const timer = setTimeout(() => isWaiting.resolve(), pollMs);
          await isWaiting.promise;
          clearTimeout(timer);
        }
        return end;
      } finally {
        stopping.signal.removeEventListener('abort', stop);
        await connection.close().catch(() => undefined);
      }
    }

    async function run(): Promise<void> {
      let waitMs = retryMs;
      while (!stopping.signal.aborted) {
        const began = Date.now();
        try {
          const why = await connectOnce();
          if (why !== undefined && !stopping.signal.aborted) log.info({ mailbox: box.name, why }, 'The connection to a mailbox has ended.');
        } catch (error) {
          if (error instanceof LeaseLost) return;
          if (stopping.signal.aborted) return;
          await recordState(db, mailboxId, messageOf(error)).catch(() => undefined);
          log.info({ mailbox: box.name, err: error }, 'A mailbox cannot be read.');
        }
        if (stopping.signal.aborted) return;
        // A server that ends each connection after a while is connected to again at once.
        waitMs = Date.now() - began > 60_000 ? retryMs : Math.min(longestRetryMs, waitMs * 2);
        await pause(waitMs, stopping.signal);
      }
    }

    const session: ReaderSession = {
      version: box.version,
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
    const running = run()
      .catch((error: unknown) => log.warn({ err: error, mailbox: box.name }, 'The reader of a mailbox has failed.'))
      .finally(() => {
        if (sessions.get(mailboxId) === session) sessions.delete(mailboxId);
      });
    return session;
  }

  async function turn(): Promise<void> {
    const leased = await leaseMailboxes(db, reader);
    const versions = await heldMailboxes(db, reader);
    for (const [id, session] of sessions) {
      if (versions.get(id) === session.version) continue;
      await session.stop();
      sessions.delete(id);
      if (!versions.has(id)) await releaseMailboxes(db, reader, id);
    }
    for (const box of leased)
      if (!isStopped && !sessions.has(box.mailboxId) && versions.get(box.mailboxId) === box.version)
        sessions.set(box.mailboxId, readOne(box));
  }

  const leaving = new AbortController();
  const turning = (async () => {
    while (!isStopped) {
      await turn().catch((error: unknown) => log.warn({ err: error }, 'Mailboxes could not be leased.'));
      await pause(turnMs, leaving.signal);
    }
  })();

  return {
    stop: async () => {
      isStopped = true;
      leaving.abort();
      await turning;
      await Promise.all([...sessions.values()].map((session) => session.stop()));
      await releaseMailboxes(db, reader).catch(() => undefined);
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
