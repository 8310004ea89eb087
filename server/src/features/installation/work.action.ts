/** Backups, trial restores and licences that administrators of the installation start in the portal. */
import { randomUUID } from 'node:crypto';
import {
  installationWork,
  installLicence,
  startInstallationWork,
  type InstallationRun,
  type RunKind,
} from '@cloudfit/contract/actions/installation-work.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { recordChange } from '../../auth/audit-entry.ts';
import { actorName, requirePermission, type Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { beginRun, endRun, readRun } from './run.ts';

export interface InstallationRuns {
  backupFolder: string;
  /** Returns the folder of the run; throws what stands against it. Null means the archive. */
  folderFor(kind: RunKind, db: Db): Promise<string | null>;
  /** Starts the process of a run, which stores its progress and outcome; resolves when it has ended, with why it failed. */
  start(run: Pick<InstallationRun, 'id' | 'kind' | 'folder'>): Promise<string | undefined>;
}

/** Stores a licence; returns undefined if the text is none of this product. */
type KeepLicence = (db: Db, text: string) => Promise<{ customer: string; issued: string; expires: string } | undefined>;

function requireAdministrator(ctx: Ctx): void {
  requirePermission(ctx, 'Settings', 'edit', null);
}

async function audit(ctx: Ctx, db: Db, entry: { verb: string; entity: string; entityId: string; after: object }): Promise<void> {
  const actor = { ...ctx.actor, name: actorName(ctx) };
  await recordChange(db, { ...entry, actor, correlationId: ctx.correlationId, address: ctx.address });
}

export function installationWorkActions(work: InstallationRuns, keepLicence: KeepLicence): readonly ImplementedAction[] {
  return [
    implement(installationWork, async (ctx) => {
      requireAdministrator(ctx);
      return { run: await readRun(ctx.db), backupFolder: work.backupFolder };
    }),
    implement(startInstallationWork, async (ctx, { kind }) => {
      requireAdministrator(ctx);
      const id = randomUUID();
      const folder = await work.folderFor(kind, ctx.db);
      await ctx.db.transaction(async (tx) => {
        if (!(await beginRun(tx, { id, kind, by: actorName(ctx), folder })))
          throw new ApiError('Conflict', 'A backup or a test of a restore is under way. Wait until it has ended.');
        await audit(ctx, tx, { verb: 'start', entity: 'installation', entityId: id, after: { kind, folder } });
      });
      // The process stores its outcome itself, unless it ends too early for that.
      void work
        .start({ id, kind, folder })
        .then((failed) => endRun(ctx.db, id, 'failed', failed ?? 'It ended without an outcome.'))
        .catch((error: unknown) => ctx.log.warn({ err: error, id }, 'The outcome of a backup or a trial restore could not be stored.'));
      const run = await readRun(ctx.db);
      if (!run) throw new ApiError('InternalError', 'Something went wrong on the server.');
      return run;
    }),
    implement(installLicence, async (ctx, { text }) => {
      requireAdministrator(ctx);
      return ctx.db.transaction(async (tx) => {
        const licence = await keepLicence(tx, text);
        if (!licence)
          throw new ApiError('ValidationFailed', 'This is not a licence of this product: it is damaged, or somebody else signed it.', {
            target: 'text',
          });
        await audit(ctx, tx, { verb: 'update', entity: 'licence', entityId: licence.issued, after: licence });
        const { customer, expires } = licence;
        return { customer, expires };
      });
    }),
  ];
}
