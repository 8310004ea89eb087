import { notices, type Notice } from '@cloudfit/contract/actions/notices.ts';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { may } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { implement } from '../../resources/action.ts';
import { faults, type StandingFault } from './faults.ts';

const editSettings = permission('Settings', 'edit');

/** Whether somebody sent a test mail, or one of the latest mails of actions was accepted. */
async function isMailTried(db: Db): Promise<boolean> {
  const [row] = await db.query<{ tried: boolean }>({
    name: 'notices-mail-tried',
    text: `select exists (select from audit where entity = 'installation' and entity_id = 'mail' and verb = 'test') or exists (
  select from (select result_status_id from action_history where action_definition_id = $1 order by action_processed desc limit 200) latest
  where result_status_id = $2) as tried`,
    values: [builtInAction.email, resultStatus.success],
  });
  return row?.tried === true;
}

interface NoticeParts {
  database: Database;
  mailServerIsSet: boolean;
}

export const noticesAction = ({ database, mailServerIsSet }: NoticeParts) =>
  implement(notices, async (ctx, { tenantId }) => {
    const value: Notice[] = [];
    const storage = database.storage?.state();
    if (storage && may(ctx, editSettings, null)) {
      const { level, freeBytes, sizeBytes, archive, walBytes } = storage;
      if (level !== 'ok') value.push({ kind: 'storage', level, freeBytes, sizeBytes });
      if (archive?.level === 'failing') value.push({ kind: 'archive', archivedAt: archive.archivedAt, walBytes, error: archive.error });
      const [fault] = await ctx.db.query<{ since: string; error: string }>({
        name: 'notices-archive-fault',
        text: "select value->>'since' as since, value->>'error' as error from setting where name = 'archiveFault'",
      });
      if (fault) value.push({ kind: 'archiveCopies', ...fault });
    }
    if (may(ctx, editSettings, null)) {
      const [used] = await ctx.db.query<{ userName: string; at: string }>({
        name: 'notices-emergency',
        text: `select user_name as "userName", to_char(last_sign_in at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
from person where is_emergency and last_sign_in > now() - interval '7 days' order by last_sign_in desc limit 1`,
      });
      if (used) value.push({ kind: 'emergency', ...used });
      if (!mailServerIsSet) value.push({ kind: 'noMailServer' });
      else if (!(await isMailTried(ctx.db))) value.push({ kind: 'mailUntried' });
    }
    if (may(ctx, editSettings, tenantId)) {
      const [failing] = await ctx.db.query<{ since: string; isDisabled: boolean }>({
        name: 'notices-mail-fails',
        text: `select to_char(created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since, disabled is not null as "isDisabled"
from destination where tenant_id = $1 and origin = $2`,
        values: [tenantId, mailDestination],
      });
      if (failing && mailServerIsSet) value.push({ kind: 'mailFails', ...failing });
      const [mails] = await ctx.db.query<{ count: number }>({
        name: 'notices-kept-mails',
        text: 'select count(*)::int as count from outbox_message where tenant_id = $1',
        values: [tenantId],
      });
      // Whom a unit waits for may have rights in other tenants, which the caller does not see.
      const stopped: StandingFault[] = await database.scoped('all').query({
        name: 'notices-faults',
        text: faults,
        values: [tenantId, may(ctx, editSettings, null)],
      });
      for (const [of, [first, ...others]] of Map.groupBy(stopped, ({ kind }) => kind)) {
        if (!first || of === 'mail' || of === 'storage' || of === 'archive') continue;
        const { name, problem, since } = first;
        value.push({ kind: 'fault', of, count: others.reduce((sum, { count }) => sum + count, first.count), name, problem, since });
      }
      if (mails && mails.count > 0) value.push({ kind: 'keptMails', count: mails.count });
    }
    return { value };
  });
