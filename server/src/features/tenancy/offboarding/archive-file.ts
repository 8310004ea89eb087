/** The archive of a customer for whoever fetches it: each time is audited. */
import type { Readable } from 'node:stream';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, requirePermission, type Ctx } from '../../../context/ctx.ts';
import type { FileStore } from '../../../platform/file-store.ts';
import { get } from '../../../resources/get.ts';
import { servedOffboardings } from './offboardings.served.ts';

interface ArchiveFile {
  name: string;
  bytes: number;
  sha256: string;
  content: () => Promise<Readable>;
}

export async function archiveFor(ctx: Ctx, store: FileStore, id: string): Promise<ArchiveFile> {
  requirePermission(ctx, 'Tenants', 'delete', null);
  const { offboardingId, customerName, state, steps } = await get(ctx, servedOffboardings, id);
  const [row] = await ctx.db.query<{ name: string }>({
    text: 'select archive_name as name from offboarding where offboarding_id = $1 and archive_name is not null',
    values: [offboardingId],
  });
  if (!row || !steps.archive)
    throw new ApiError(
      'Conflict',
      state === 'Running' ? 'The archive is being written. Try again when the step is done.' : 'The archive was removed.',
    );
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    tenantId: null,
    verb: 'export',
    entity: 'offboardings',
    entityId: offboardingId,
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
  const { bytes, sha256 } = steps.archive;
  const safe = customerName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return { name: `${safe}.zip`, bytes, sha256, content: () => store.open(row.name) };
}
