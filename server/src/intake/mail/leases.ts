/** Which process reads which mailbox: one at a time, by a lease that its reader renews. */
import type { mailboxSecurity, mailboxSignIns } from '@cloudfit/contract/mail/mailboxes.ts';
import type { Db } from '../../db/db.ts';

/** A mailbox that this process reads, with what its connection needs. */
export interface LeasedMailbox {
  mailboxId: string;
  tenantId: string;
  name: string;
  host: string;
  port: number;
  security: (typeof mailboxSecurity)[number];
  userName: string;
  passwordSecret: string;
  signIn: (typeof mailboxSignIns)[number];
  tokenAddress: string | null;
  clientId: string | null;
  refreshSecret: string | null;
  scope: string | null;
  folder: string;
  certificate: string | null;
  uidValidity: number | null;
  lastUid: number;
  /** A change of the settings needs another connection. */
  version: number;
}

export const leaseSeconds = 30;

interface LeasedRow {
  mailboxId: string;
  tenantId: string;
  name: string;
  host: string | null;
  port: number;
  security: LeasedMailbox['security'];
  userName: string | null;
  passwordSecret: string | null;
  signIn: LeasedMailbox['signIn'];
  tokenAddress: string | null;
  clientId: string | null;
  refreshSecret: string | null;
  scope: string | null;
  folder: string;
  certificate: string | null;
  uidValidity: number | null;
  lastUid: number;
  version: number;
}

// A mailbox whose row is locked takes a mail just now; its lease is renewed by the next turn.
const lease = `update mailbox m set leased_by = $1, leased_until = now() + interval '${leaseSeconds} seconds'
where m.mailbox_id in (
  select b.mailbox_id from mailbox b join tenant t on t.tenant_id = b.tenant_id and t.enabled
  where b.enabled and b.host is not null and b.user_name is not null and b.password_secret is not null
    and (b.leased_by = $1 or b.leased_until is null or b.leased_until < now()) for update of b skip locked)
returning m.mailbox_id as "mailboxId", m.tenant_id as "tenantId", m.name, m.host, m.port, m.security, m.user_name as "userName",
  m.password_secret as "passwordSecret", m.sign_in as "signIn", m.token_address as "tokenAddress", m.client_id as "clientId", m.refresh_secret as "refreshSecret", m.scope, m.folder, m.certificate, m.uid_validity as "uidValidity", m.last_uid as "lastUid", m.version`;

/** Takes the mailboxes that nobody reads, and renews the leases of those that this process reads. */
export async function leaseMailboxes(db: Db, reader: string): Promise<LeasedMailbox[]> {
  const rows = await db.query<LeasedRow>({ name: 'lease-mailboxes', text: lease, values: [reader] });
  return rows.flatMap(({ host, userName, passwordSecret, ...row }) =>
    host === null || userName === null || passwordSecret === null ? [] : [{ ...row, host, userName, passwordSecret }],
  );
}

/** Which of these mailboxes this process may still read, and with which version. */
export async function heldMailboxes(db: Db, reader: string): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; version: number }>({
    name: 'held-mailboxes',
    text: `select m.mailbox_id as id, m.version from mailbox m join tenant t on t.tenant_id = m.tenant_id and t.enabled
      where m.leased_by = $1 and m.leased_until > now() and m.enabled and m.host is not null`,
    values: [reader],
  });
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Gives mailboxes back, so that another process reads them at once; all of this process by default. */
export async function releaseMailboxes(db: Db, reader: string, mailboxId?: string): Promise<void> {
  await db.query({
    name: 'release-mailboxes',
    text: 'update mailbox set leased_by = null, leased_until = null where leased_by = $1 and ($2::uuid is null or mailbox_id = $2)',
    values: [reader, mailboxId ?? null],
  });
}

/** Stores that the server of a mailbox answers, or why it cannot be read. */
export async function recordState(db: Db, mailboxId: string, problem: string | null): Promise<void> {
  await db.query({
    name: 'mailbox-state',
    text: `update mailbox set problem = $2, problem_since = case when $2::text is not null then coalesce(problem_since, now()) end, connected = case when $2::text is null then now() else connected end
      where mailbox_id = $1 and ($2::text is null or problem is distinct from $2)`,
    values: [mailboxId, problem?.slice(0, 1_000) ?? null],
  });
}
