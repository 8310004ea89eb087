/** When the installation was last backed up, and whether the last copy could be restored: for its administrators. */
import { backupState, type BackupState } from '@cloudfit/contract/actions/notices.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';

interface StoredState {
  base_copy: { at: string } | null;
  drill: { at: string; what: string } | null;
  backup_at: string | null;
  trial: { at: string; failed: string } | null;
}

// A failed restore trial is only in the audit: the setting `restoreDrill` has the last trial that succeeded.
const state = `select (select value from setting where name = 'baseCopy') as base_copy,
  (select value from setting where name = 'restoreDrill') as drill,
  (select at from audit where entity = 'installation' and verb = 'backup' order by audit_id desc limit 1) as backup_at,
  (select jsonb_build_object('at', at, 'failed', after ->> 'failed') from audit
    where entity = 'installation' and verb = 'verify' and after ? 'failed' order by audit_id desc limit 1) as trial`;

const iso = (text: string): string => new Date(text).toISOString();

/** Returns the state of the backups; empty for callers who may not edit the settings of all tenants. */
export async function readBackups(ctx: Ctx): Promise<BackupState> {
  const isVisible = may(ctx, permission('Settings', 'edit'), null);
  const [row] = isVisible ? await ctx.db.query<StoredState>({ name: 'backup-state', text: state }) : [];
  const { drill, trial } = row ?? {};
  const failedLast = trial && (!drill || iso(trial.at) > iso(drill.at));
  return {
    isVisible,
    backupAt: row?.backup_at ?? null,
    baseCopyAt: row?.base_copy ? iso(row.base_copy.at) : null,
    restoreDrill: failedLast
      ? { at: iso(trial.at), what: 'backup', failed: trial.failed }
      : drill
        ? { at: iso(drill.at), what: drill.what }
        : null,
  };
}

export const backupsAction = implement(backupState, readBackups);
