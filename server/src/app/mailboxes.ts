/** Connects mailboxes with the outside: the password of each is a secret of its tenant, whose use is audited; mails go to the store of files. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { mailboxSignIns } from '@cloudfit/contract/mail/mailboxes.ts';
import { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { recordAudit } from '../auth/audit-entry.ts';
import { hostOf, policyProblem } from '../auth/secret-use.ts';
import type { MasterKey } from '../auth/master-key.ts';
import { openTenantSecrets, type TenantSecrets, type UsableSecret } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import type { TryMailbox } from '../features/mailboxes/mailboxes.action.ts';
import type { OpenMailboxConnection } from '../intake/mail/read-mailboxes.ts';
import { mailTaker } from '../intake/mail/take-mail.ts';
import { imapClient, ImapFailed, type ImapFolder, type ImapSettings, type OpenImap } from '../outbound/imap.ts';
import { accessTokens, OAuthFailed, type GetAccessToken } from '../outbound/oauth.ts';
import { currentTime } from '../platform/clock.ts';
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
  refreshSecret: string | null;
  scope: string | null;
};

/** Says that the settings are not enough to connect. */
class NotReady extends Error {}

/** What opening a mailbox needs from outside. */
interface MailboxOpening {
  open: OpenImap;
  accessToken: GetAccessToken;
  secrets: TenantSecrets;
  /** Tokens by refresh tokens, while they are valid. */
  tokens: Map<string, { token: string; until: number }>;
}

export function mailboxOpening(allow: readonly string[], secrets: TenantSecrets, answerMs?: number): MailboxOpening {
  return { open: imapClient({ allow, answerMs }), accessToken: accessTokens({ allow }), secrets, tokens: new Map() };
}

/** Reads the secret of a mailbox, which is sent to this host. */
async function secretOf(
  secrets: TenantSecrets,
  db: Db,
  { tenantId, name }: ToConnect,
  secretName: string,
  host: string,
  by: Pick<Ctx, 'actor' | 'correlationId'>,
): Promise<UsableSecret> {
  const secret = (await secrets.latest(db, tenantId, [secretName])).get(secretName);
  if (!secret)
    throw new NotReady(`The tenant has no secret ${secretName}, or it has no value. Please create it on the page of the tenant.`);
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
  return secret;
}

const renewed = `with s as (
  update tenant_secret set latest_version = latest_version + 1, modified = now(), version = version + 1 where tenant_id = $1 and id = $2
  returning tenant_id, id, latest_version
), told as (${changed(tenantSecrets, 'update', 's', '$3')})
select latest_version as version from s`;

/** Stores the refresh token that replaces the one before, which many providers take once only. */
async function storeRefreshToken(
  { secrets }: MailboxOpening,
  db: Db,
  { tenantId, name }: ToConnect,
  secret: UsableSecret,
  value: string,
  by: Pick<Ctx, 'actor' | 'correlationId'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx.query<{ version: number }>({
      name: 'refresh-token-renewed',
      text: renewed,
      values: [tenantId, secret.id, by.correlationId],
    });
    if (!row) return;
    await secrets.write(tx, { tenantId, secretId: secret.id, version: row.version }, value, by.actor.name);
    await recordAudit(tx, {
      actor: by.actor,
      verb: 'update',
      entity: 'tenantSecrets',
      entityId: secret.id,
      tenantId,
      after: { name: secret.name, mailbox: name, latestVersion: row.version },
      correlationId: by.correlationId,
    });
  });
}

/** So long before its end a token is renewed. */
const marginMs = 300_000;

/** Gets a token for a mailbox: the one from before while it is valid, because a provider may replace the refresh token with each. */
async function tokenFor(
  opening: MailboxOpening,
  db: Db,
  box: ToConnect & { tokenAddress: string; clientId: string },
  by: Pick<Ctx, 'actor' | 'correlationId'>,
): Promise<string> {
  const { accessToken, secrets, tokens } = opening;
  const { tokenAddress, clientId, scope, refreshSecret, passwordSecret } = box;
  const { value: secret } = await secretOf(secrets, db, box, passwordSecret, hostOf(tokenAddress), by);
  const refresh = refreshSecret === null ? undefined : await secretOf(secrets, db, box, refreshSecret, hostOf(tokenAddress), by);
  const key = [refresh?.id, tokenAddress, clientId, scope, box.userName].join(' ');
  const earlier = refresh && tokens.get(key);
  if (earlier && earlier.until > currentTime()) return earlier.token;
  tokens.delete(key);
  const client = { tokenAddress, clientId, scope, secret, ...(refresh ? { refreshToken: refresh.value } : {}) };
  const answer = await accessToken(client).catch((error: unknown) => {
    throw error instanceof OAuthFailed ? new ImapFailed('password', error.message) : error;
  });
  if (refresh && answer.refreshToken) await storeRefreshToken(opening, db, box, refresh, answer.refreshToken, by);
  if (refresh && answer.seconds) tokens.set(key, { token: answer.accessToken, until: currentTime() + answer.seconds * 1_000 - marginMs });
  return answer.accessToken;
}

async function openWith(opening: MailboxOpening, db: Db, box: ToConnect, by: Pick<Ctx, 'actor' | 'correlationId'>): Promise<ImapFolder> {
  const { open, secrets, tokens } = opening;
  const { host, signIn, tokenAddress, clientId, passwordSecret } = box;
  if (signIn === 'Password') {
    const { value: password } = await secretOf(secrets, db, box, passwordSecret, host, by);
    return open({ ...box, credential: { password } });
  }
  if (!tokenAddress || !clientId) throw new NotReady('Please save the token address and the client ID first.');
  const credential = { accessToken: await tokenFor(opening, db, { ...box, tokenAddress, clientId }, by) };
  return open({ ...box, credential }).catch((error: unknown) => {
    // A token that the server does not take is not tried again.
    for (const [key, { token }] of tokens) if (token === credential.accessToken) tokens.delete(key);
    throw error;
  });
}

/** Opens connections of the reader of mailboxes. */
export function mailboxConnections(opening: MailboxOpening, db: Db): OpenMailboxConnection {
  const actor = { kind: 'system', id: null, name: 'Mailboxes' } as const;
  return (box) => openWith(opening, db, box, { actor, correlationId: randomUUID() });
}

/** Connects once, reads nothing, and says what is wrong. */
export function mailboxTrial(opening: MailboxOpening): TryMailbox {
  return async (ctx, { host, userName, passwordSecret, tokenAddress, clientId, refreshSecret, scope, ...box }) => {
    const refused = (step: Awaited<ReturnType<TryMailbox>>['step'], message: string) => ({ works: false, step, message });
    if (!host || !userName || !passwordSecret)
      return refused('settings', 'Please save the host, the user name and the secret of the password first.');
    try {
      const folder = await openWith(
        opening,
        ctx.db,
        { ...box, host, userName, passwordSecret, tokenAddress, clientId, refreshSecret, scope },
        ctx,
      );
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
