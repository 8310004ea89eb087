import { notices, type Notice } from '@cloudfit/contract/actions/notices.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { implement } from '../../resources/action.ts';

const editSettings = permission('Settings', 'edit');

export const noticesAction = (database: Database) =>
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
    if (may(ctx, editSettings, tenantId)) {
      const [mails] = await ctx.db.query<{ count: number }>({
        name: 'notices-kept-mails',
        text: 'select count(*)::int as count from outbox_message where tenant_id = $1',
        values: [tenantId],
      });
      if (mails && mails.count > 0) value.push({ kind: 'keptMails', count: mails.count });
    }
    return { value };
  });
