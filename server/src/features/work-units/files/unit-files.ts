/** Files in notes: stored like packages, and read with the rights of their work unit. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError, forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { isImage, noteFileLimits } from '@cloudfit/contract/note-files.ts';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { and, contains, eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { externalNotes } from '@cloudfit/contract/resources/external-notes.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { removeRefused, type FileStore } from '../../../platform/file-store.ts';
import { get } from '../../../resources/get.ts';
import { writeHistory } from '../feed/history.ts';
import { list } from '../../../resources/list.ts';
import { servedExternalNotes, servedResolutionCenterWorkUnits } from '../resolution-center/resolution-center.served.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { lookAtFile } from './file-form.ts';

/** A received file that has not been stored yet. */
interface IncomingFile {
  part: string;
  fileName: string;
  path: string;
  size: number;
  sha256: string;
}

interface FileOfUnit {
  id: string;
  name: string;
  size: number;
  isImage: boolean;
}

/**
 * Throws unless the caller may put files into notes of the unit: people who may edit it, and those whose request it is. Asked before
 * its body is received, and again when it is stored.
 */
export async function requireFileWriter(ctx: Ctx, workUnitId: number): Promise<{ tenantId: string; isFromCustomer: boolean }> {
  try {
    const { tenantId } = await get(ctx, servedWorkUnits, workUnitId);
    requirePermission(ctx, 'WorkUnits', 'edit', tenantId);
    return { tenantId, isFromCustomer: false };
  } catch (error) {
    if (!may(ctx, viewMine)) throw error;
    const { tenantId } = await get(ctx, servedResolutionCenterWorkUnits, workUnitId).catch(() => Promise.reject(error));
    return { tenantId, isFromCustomer: true };
  }
}

const lock = 'select 1 from work_unit where work_unit_id = $1 for update';
const count =
  'select count(*)::int as count, count(*) filter (where is_from_customer)::int as from_customer from work_unit_file where work_unit_id = $1 and deleted_at is null';
const insert = `insert into work_unit_file (tenant_id, work_unit_id, name, content_type, size, sha256, storage_name, thumbnail, created_by, is_from_customer)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning work_unit_file_id as id`;

/** A file whose bytes are stored, and whose row is not. */
export interface KeptFile {
  name: string;
  size: number;
  sha256: string;
  storageName: string;
  contentType: string;
  thumbnail: Buffer | null;
  isImage: boolean;
}

/** Checks a received file and stores its bytes; throws when notes do not take it. Without a row, the sweep of orphans removes them. */
export async function keepUnitFile(store: FileStore, file: IncomingFile): Promise<KeptFile> {
  const { part: target, fileName: name, path, size } = file;
  if (size === 0) throw validationFailed([{ target, message: `${name} is empty.` }]);
  const look = await lookAtFile(name, path);
  if (typeof look === 'string') throw validationFailed([{ target, message: look }]);
  return keepAsIs(store, file, { contentType: look.contentType, thumbnail: look.thumbnail, isImage: isImage(look.form) });
}

/** Stores bytes that need no check, because nothing shows them. */
export async function keepAsIs(
  store: FileStore,
  file: Omit<IncomingFile, 'part'>,
  look: Pick<KeptFile, 'contentType' | 'thumbnail' | 'isImage'> = {
    contentType: 'application/octet-stream',
    thumbnail: null,
    isImage: false,
  },
): Promise<KeptFile> {
  const storageName = randomBytes(24).toString('hex');
  await store.keep(storageName, file.path, file);
  return { name: file.fileName, size: file.size, sha256: file.sha256, storageName, ...look };
}

interface FileOwner {
  tenantId: string;
  workUnitId: number;
  isFromCustomer: boolean;
}

/** Writes the row of a stored file, in a transaction that has locked its unit. */
export async function recordUnitFile(ctx: Ctx, { tenantId, workUnitId, isFromCustomer }: FileOwner, bytes: KeptFile): Promise<FileOfUnit> {
  const { name, size, sha256, storageName, contentType, thumbnail } = bytes;
  const [stored] = await ctx.db.query<{ count: number; from_customer: number }>({ text: count, values: [workUnitId] });
  if ((stored?.count ?? 0) >= noteFileLimits.perUnit)
    throw new ApiError('Conflict', `A work unit has at most ${noteFileLimits.perUnit} files. Please put several into a zip.`);
  if (isFromCustomer && (stored?.from_customer ?? 0) >= noteFileLimits.fromCustomer)
    throw new ApiError('Conflict', `A request takes at most ${noteFileLimits.fromCustomer} files. Please put several into a zip.`);
  const values = [tenantId, workUnitId, name, contentType, size, sha256, storageName, thumbnail, actorName(ctx), isFromCustomer];
  const [row] = await ctx.db.query<{ id: string }>({ text: insert, values });
  if (!row) throw new Error('An insert answers its row.');
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb: 'create',
    entity: 'workUnitFiles',
    entityId: row.id,
    tenantId,
    after: { workUnitId, name, size, sha256 },
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
  return { id: row.id, name, size, isImage: bytes.isImage };
}

/** So that a unit does not move meanwhile, and no more files are counted and stored at the same time. */
export async function lockUnit(ctx: Ctx, workUnitId: number): Promise<void> {
  await ctx.db.query({ text: lock, values: [workUnitId] });
}

/** Stores a file of the unit. What a refusal leaves in the store is removed at once, what another failure leaves by the sweep of orphans. */
export async function storeUnitFile(outside: Ctx, store: FileStore, workUnitId: number, file: IncomingFile): Promise<FileOfUnit> {
  // Stored before the transaction, so that the lock of the unit does not wait for a slow store.
  const bytes = await keepUnitFile(store, file);
  try {
    return await inTransaction(outside, async (ctx) => {
      await lockUnit(ctx, workUnitId);
      return recordUnitFile(ctx, { workUnitId, ...(await requireFileWriter(ctx, workUnitId)) }, bytes);
    });
  } catch (error) {
    await removeRefused(store, [bytes.storageName], error);
    throw error;
  }
}

interface UnitFileContent {
  name: string;
  contentType: string;
  size: number;
  digest: string;
  content: () => Promise<Readable | Buffer>;
}

interface StoredRow {
  work_unit_id: number;
  name: string;
  content_type: string;
  size: number;
  sha256: string;
  storage_name: string;
  thumbnail: Buffer | null;
  is_from_customer: boolean;
  deleted_by: string | null;
}

const deletedBy = (name: string, who: string): ApiError => new ApiError('NotFound', `${name} was deleted by ${who}.`);

interface DeletableRow {
  work_unit_id: number;
  tenant_id: string;
  name: string;
  storage_name: string;
  created_by: string;
  deleted_by: string | null;
}

/**
 * Deletes a file: its author may who may still edit the unit, and anybody who may delete units. Its bytes are removed once that is
 * stored; if the store fails, by the sweep of orphans.
 */
export async function deleteUnitFile(outside: Ctx, store: FileStore, id: string): Promise<void> {
  const storageName = await inTransaction(outside, async (ctx) => {
    const [row] = await ctx.db.query<DeletableRow>({
      text: 'select work_unit_id, tenant_id, name, storage_name, created_by, deleted_by from work_unit_file where work_unit_file_id = $1 for update',
      values: [id],
    });
    if (!row) throw notFound('File');
    const { tenantId } = await get(ctx, servedWorkUnits, row.work_unit_id);
    if (!may(ctx, permission('WorkUnits', 'delete'), tenantId)) {
      requirePermission(ctx, 'WorkUnits', 'edit', tenantId);
      if (row.created_by.toLowerCase() !== actorName(ctx).toLowerCase())
        throw forbidden(`Only ${row.created_by}, who added ${row.name}, or a person who may delete work units can delete it.`);
    }
    if (row.deleted_by !== null) throw deletedBy(row.name, row.deleted_by);
    await ctx.db.query({
      text: 'update work_unit_file set deleted_at = now(), deleted_by = $2, thumbnail = null where work_unit_file_id = $1',
      values: [id, actorName(ctx)],
    });
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'delete',
      entity: 'workUnitFiles',
      entityId: id,
      tenantId,
      before: { workUnitId: row.work_unit_id, name: row.name },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    await writeHistory(ctx, { workUnitId: row.work_unit_id, tenantId }, [
      { historyType: 'WorkUnitEvent', detail: `The file ${row.name} was deleted.` },
    ]);
    return row.storage_name;
  });
  await store.remove(storageName).catch((error: unknown) => outside.log.warn({ err: error }, 'A deleted file stays until the next sweep.'));
}

const namedIn = `select 1 from work_unit_note n where n.work_unit_id = $1 and n.work_unit_note_id = any($2::bigint[])
  and n.is_external_note and not n.is_from_customer`;

/**
 * Throws unless the caller may view the unit, or the file is for its customers: one of them has sent it, or a note of the desk to them
 * names it. A note of a customer that names a file gives nothing, because they may write any id.
 */
async function requireFileReader(
  ctx: Ctx,
  id: string,
  { work_unit_id: unitId, is_from_customer: isFromCustomer }: StoredRow,
): Promise<void> {
  try {
    // Scope and rights are those of the unit.
    await get(ctx, servedWorkUnits, unitId);
  } catch (error) {
    if (!may(ctx, viewMine)) throw error;
    if (isFromCustomer) {
      await get(ctx, servedResolutionCenterWorkUnits, unitId).catch(() => Promise.reject(notFound('File')));
      return;
    }
    // Lists the notes that the caller may read, those of a unit with which a request was merged too.
    const filter = and(contains(externalNotes, 'detail', `file:${id}`), eq(externalNotes, 'isFromCustomer', false));
    const notes = (await list(ctx, servedExternalNotes, queryText({ filter, select: ['workUnitNoteId'], top: 100 }))).value;
    const rows = await ctx.db.query({ text: namedIn, values: [unitId, notes.map((note) => note.workUnitNoteId)] });
    if (rows.length === 0) throw notFound('File');
  }
}

/** Returns a file of a unit that the caller may read, or the small form of an image; 404 otherwise. */
export async function readUnitFile(ctx: Ctx, store: FileStore, id: string, small: boolean): Promise<UnitFileContent> {
  const [row] = await ctx.db.query<StoredRow>({
    text: `select work_unit_id, name, content_type, size, sha256, storage_name, is_from_customer, deleted_by,
      case when $2 then thumbnail end as thumbnail from work_unit_file where work_unit_file_id = $1`,
    values: [id, small],
  });
  if (!row) throw notFound('File');
  await requireFileReader(ctx, id, row);
  if (row.deleted_by !== null) throw deletedBy(row.name, row.deleted_by);
  if (small && !row.thumbnail) throw notFound('File');
  const { name, size, sha256, storage_name: storageName, thumbnail } = row;
  if (thumbnail)
    return {
      name,
      contentType: 'image/webp',
      size: thumbnail.length,
      digest: `${sha256}-small`,
      content: () => Promise.resolve(thumbnail),
    };
  return { name, contentType: row.content_type, size, digest: sha256, content: () => store.open(storageName) };
}
