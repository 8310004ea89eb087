/** A mailbox as its mails need it, and the ctx in which they are written. */
import type { Logger } from 'pino';
import type { unknownSenderPolicies } from '@cloudfit/contract/mail/mailboxes.ts';
import type { severities } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { currentDate } from '../../platform/clock.ts';

export interface OpenMailbox {
  mailboxId: string;
  tenantId: string;
  name: string;
  address: string;
  enabled: boolean;
  tenantEnabled: boolean;
  workUnitTypeId: number;
  severityId: (typeof severities)[number];
  workUnitCategoryId: string | null;
  unknownSenders: (typeof unknownSenderPolicies)[number];
  senderLimit: number;
  programMails: boolean;
  authservId: string | null;
  tokenHash: Buffer;
}

/** Reads a mailbox by its id; undefined if there is none in the scope. */
export async function readMailbox(db: Db, mailboxId: string): Promise<OpenMailbox | undefined> {
  const [row] = await db.query<OpenMailbox>({
    name: 'open-mailbox',
    text: `select m.mailbox_id as "mailboxId", m.tenant_id as "tenantId", m.name, m.address, m.enabled, t.enabled as "tenantEnabled",
        m.work_unit_type_id as "workUnitTypeId", m.severity_id as "severityId", m.work_unit_category_id as "workUnitCategoryId",
        m.unknown_senders as "unknownSenders", m.sender_limit as "senderLimit", m.program_mails as "programMails",
        m.authserv_id as "authservId", m.token_hash as "tokenHash"
      from mailbox m join tenant t on t.tenant_id = m.tenant_id where m.mailbox_id = $1`,
    values: [mailboxId],
  });
  return row;
}

/** What the mails of a mailbox do. */
const deeds = [permission('WorkUnits', 'view'), permission('WorkUnits', 'create'), permission('WorkUnits', 'edit')] as const;

/** The ctx in which mails of the mailbox are written: in its tenant alone. */
export function mailboxCtx(
  database: Database,
  { mailboxId, name, tenantId }: Pick<OpenMailbox, 'mailboxId' | 'name' | 'tenantId'>,
  request: { log: Logger; correlationId: string; address?: string },
): Ctx {
  return {
    actor: { kind: 'token', id: mailboxId, name, scopes: [] },
    tenants: [tenantId],
    permissions: new Map([[tenantId, new Set<string>(deeds)]]),
    db: database.scoped([tenantId]),
    now: currentDate,
    ...request,
  };
}
