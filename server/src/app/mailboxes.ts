/** Connects mailboxes with the outside: the password of each is a secret of its tenant, whose use is audited; mails go to the store of files. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../auth/audit-entry.ts';
import { policyProblem } from '../auth/secret-use.ts';
import type { MasterKey } from '../auth/master-key.ts';
import { openTenantSecrets, type TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import type { TryMailbox } from '../features/mailboxes/mailboxes.action.ts';
import type { OpenMailboxConnection } from '../intake/mail/read-mailboxes.ts';
import { mailTaker } from '../intake/mail/take-mail.ts';
import { imapClient, ImapFailed, type ImapSettings, type OpenImap } from '../outbound/imap.ts';
import type { Config } from '../platform/config.ts';
import type { FileStore } from '../platform/file-store.ts';
import { incomingFolder, openFileStore } from './open-file-store.ts';

/** What takes mails into the store of uploaded files, reads mailboxes, and tries one. */
export function mailParts(config: Config, masterKey: MasterKey) {
  const store: FileStore = openFileStore(config);
  const open = imapClient({ allow: config.outboundAllow });
  const secrets = openTenantSecrets(masterKey);
  return {
    store,
    taker: mailTaker({ store, incoming: incomingFolder(config), maxFileBytes: config.noteFileMaxMb * 1024 ** 2 }),
    connect: (db: Db) => mailboxConnections(open, secrets, db),
    tryMailbox: mailboxTrial(open, secrets),
  };
}

type ToConnect = Omit<ImapSettings, 'password'> & { tenantId: string; name: string; passwordSecret: string };

/** Says that the settings are not enough to connect. */
class NotReady extends Error {}

async function passwordOf(secrets: TenantSecrets, db: Db, box: ToConnect, by: Pick<Ctx, 'actor' | 'correlationId'>): Promise<string> {
  const { tenantId, passwordSecret, host } = box;
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
    after: { name: secret.name, mailbox: box.name, host },
    correlationId: by.correlationId,
  });
  return secret.value;
}

/** Opens connections of the reader of mailboxes. */
export function mailboxConnections(open: OpenImap, secrets: TenantSecrets, db: Db): OpenMailboxConnection {
  const actor = { kind: 'system', id: null, name: 'Mailboxes' } as const;
  return async (box) => open({ ...box, password: await passwordOf(secrets, db, box, { actor, correlationId: randomUUID() }) });
}

/** Connects once, reads nothing, and says what is wrong. */
export function mailboxTrial(open: OpenImap, secrets: TenantSecrets): TryMailbox {
  return async (ctx, { host, userName, passwordSecret, ...box }) => {
    const refused = (step: Awaited<ReturnType<TryMailbox>>['step'], message: string) => ({ works: false, step, message });
    if (!host || !userName || !passwordSecret)
      return refused('settings', 'Please save the host, the user name and the secret of the password first.');
    const whole = { ...box, host, userName, passwordSecret };
    try {
      const folder = await open({ ...whole, password: await passwordOf(secrets, ctx.db, whole, ctx) });
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
