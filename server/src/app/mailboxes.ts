/** Connects mailboxes with the outside: the password of each is a secret of its tenant, whose use is audited; mails go to the store of files. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { mailboxSignIns } from '@cloudfit/contract/mail/mailboxes.ts';
import { recordAudit } from '../auth/audit-entry.ts';
import { hostOf, policyProblem } from '../auth/secret-use.ts';
import type { MasterKey } from '../auth/master-key.ts';
import { openTenantSecrets, type TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import type { TryMailbox } from '../features/mailboxes/mailboxes.action.ts';
import type { OpenMailboxConnection } from '../intake/mail/read-mailboxes.ts';
import { mailTaker } from '../intake/mail/take-mail.ts';
import { imapClient, ImapFailed, type ImapFolder, type ImapSettings, type OpenImap } from '../outbound/imap.ts';
import { accessTokens, OAuthFailed, type GetAccessToken } from '../outbound/oauth.ts';
import type { Config } from '../platform/config.ts';
import type { FileStore } from '../platform/file-store.ts';
import { incomingFolder, openFileStore } from './open-file-store.ts';

/** What takes mails into the store of uploaded files, reads mailboxes, and tries one. */
export function mailParts(config: Config, masterKey: MasterKey) {
  const store: FileStore = openFileStore(config);
  const opening = mailboxOpening(config.outboundAllow, openTenantSecrets(masterKey));
  return {
    store,
    taker: mailTaker({ store, incoming: incomingFolder(config), maxFileBytes: config.noteFileMaxMb * 1024 ** 2 }),
    connect: (db: Db) => mailboxConnections(opening, db),
    tryMailbox: mailboxTrial(opening),
  };
}

type ToConnect = Omit<ImapSettings, 'credential'> & {
  tenantId: string;
  name: string;
  passwordSecret: string;
  signIn: (typeof mailboxSignIns)[number];
  tokenAddress: string | null;
  clientId: string | null;
  scope: string | null;
};

/** Says that the settings are not enough to connect. */
class NotReady extends Error {}

/** What opening a mailbox needs from outside. */
interface MailboxOpening {
  open: OpenImap;
  accessToken: GetAccessToken;
  secrets: TenantSecrets;
}

export function mailboxOpening(allow: readonly string[], secrets: TenantSecrets): MailboxOpening {
  return { open: imapClient({ allow }), accessToken: accessTokens({ allow }), secrets };
}

/** Reads the secret of a mailbox, which is sent to this host. */
async function secretOf(
  secrets: TenantSecrets,
  db: Db,
  { tenantId, passwordSecret, name }: ToConnect,
  host: string,
  by: Pick<Ctx, 'actor' | 'correlationId'>,
): Promise<string> {
  const secret = (await secrets.latest(db, tenantId, [passwordSecret])).get(passwordSecret);
  if (!secret)
    throw new NotReady(`The tenant has no secret ${passwordSecret}, or it has no value. Please create it on the page of the tenant.`);
  const problem = policyProblem(secret, { actionDefinitionId: undefined, host });
  if (problem) throw new NotReady(problem);
  await recordAudit(db, {
    actor: by.actor,
    verb: 'use',
    entity: 'tenantSecrets',
    entityId: secret.id,
    tenantId,
    after: { name: secret.name, mailbox: name, host },
    correlationId: by.correlationId,
  });
  return secret.value;
}

async function openWith(
  { open, accessToken, secrets }: MailboxOpening,
  db: Db,
  box: ToConnect,
  by: Pick<Ctx, 'actor' | 'correlationId'>,
): Promise<ImapFolder> {
  const { host, signIn, tokenAddress, clientId, scope } = box;
  if (signIn === 'Password') return open({ ...box, credential: { password: await secretOf(secrets, db, box, host, by) } });
  if (!tokenAddress || !clientId) throw new NotReady('Please save the token address and the client ID first.');
  const secret = await secretOf(secrets, db, box, hostOf(tokenAddress), by);
  const token = await accessToken({ tokenAddress, clientId, scope, secret }).catch((error: unknown) => {
    throw error instanceof OAuthFailed ? new ImapFailed('password', error.message) : error;
  });
  return open({ ...box, credential: { accessToken: token } });
}

/** Opens connections of the reader of mailboxes. */
export function mailboxConnections(opening: MailboxOpening, db: Db): OpenMailboxConnection {
  const actor = { kind: 'system', id: null, name: 'Mailboxes' } as const;
  return (box) => openWith(opening, db, box, { actor, correlationId: randomUUID() });
}

/** Connects once, reads nothing, and says what is wrong. */
export function mailboxTrial(opening: MailboxOpening): TryMailbox {
  return async (ctx, { host, userName, passwordSecret, tokenAddress, clientId, scope, ...box }) => {
    const refused = (step: Awaited<ReturnType<TryMailbox>>['step'], message: string) => ({ works: false, step, message });
    if (!host || !userName || !passwordSecret)
      return refused('settings', 'Please save the host, the user name and the secret of the password first.');
    try {
      const folder = await openWith(opening, ctx.db, { ...box, host, userName, passwordSecret, tokenAddress, clientId, scope }, ctx);
      await folder.close();
      return { works: true, step: 'done', message: `${host} answers, and the folder ${box.folder} can be read.` };
    } catch (error) {
      if (error instanceof NotReady) return refused('settings', error.message);
      if (error instanceof ImapFailed) return refused(error.step, error.message);
      ctx.log.warn({ err: error }, 'A mailbox could not be tried.');
      return refused('address', messageOf(error));
    }
  };
}
